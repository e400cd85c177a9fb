// SPDX-License-Identifier: Apache-2.0
#include "models/memory/undefined_words.h"

#include "isa/layout.h"
#include "models/bdc/bdc_semantics.h"
#include "tests/support/catch.h"
#include "tests/support/small_machine.h"

namespace okksim::models {
namespace {

struct Fixture {
    /// Handles a command like Diagnostics; returns false when undefined values have an effect.
    bool run(const isa::Command& command) {
        const isa::TensorViews views = isa::tensor_views(command, machine);
        const bool bad =
            map.find_unwritten(command, views, local, system) || undefined.reads(command, views);
        if (bad) undefined.carry(command, views, map, local, system, ++number);
        const bool leaves = bad && undefined.first_carried().has_value();
        undefined.note_dummies(views[0], map, local);
        undefined.note_free_columns(views, map, local, [&](const PoisonRead& read) {
            free_column_read = read;
            return ++number;
        });
        map.mark_results(command, views);
        undefined.settle(command, views);
        return !leaves;
    }
    isa::Command copy(std::uint32_t to, std::uint32_t from, std::int32_t count) const {
        const isa::Dim4 shape{1, 1, 1, count};
        const isa::Dim4 stride{64, 64, 64, 1};
        return isa::Command::make(isa::Opcode::bdc_32bit_cpy,
                                  isa::VectorUnary{{to}, {from}, shape, stride, stride});
    }
    isa::Command fill(std::uint32_t to, std::int32_t count) const {
        return isa::Command::make(isa::Opcode::bdc_32bit_set_C,
                                  isa::VectorSet{{to}, {}, {1, 1, 1, count}, {64, 64, 64, 1}});
    }
    isa::Command store(std::uint32_t from, std::int32_t count) const {
        const isa::Dim4 stride{64, 64, 64, 1};
        return isa::Command::make(isa::Opcode::gdma_32bit_cpy_L2S,
                                  isa::GdmaCopyToSystem{isa::SystemAddr::from(machine.global_start),
                                                        {from},
                                                        {1, 1, 1, count},
                                                        stride,
                                                        stride});
    }

    isa::MachineShape machine = tests::small_machine(4, 8192);
    LocalMemory local{machine};
    SystemMemory system{machine};
    WrittenMap map{machine};
    LanePool pool;
    std::uint32_t number = 0;     ///< of the last command to blame
    PoisonRead free_column_read;  ///< what note_free_columns() has blamed last
    UndefinedWords undefined{
        machine, [this](const isa::Command& command) { execute_bdc(command, local, pool); }};
};

}  // namespace

TEST_CASE("values that nobody has written are carried on until they leave local memory") {
    Fixture f;
    CHECK(f.run(f.fill(0, 16)));
    CHECK(f.run(f.copy(1024, 0, 32)));     // 16 of 32 are undefined
    CHECK(f.run(f.copy(2048, 1024, 32)));  // and stay so
    CHECK(f.run(f.store(2048, 16)));       // the others may go
    CHECK_FALSE(f.run(f.store(2048, 17)));
    CHECK(f.run(f.copy(3072, 2048, 16)));
    CHECK(f.run(f.store(3072, 16)));
}

TEST_CASE("a command that writes its result anew makes it defined") {
    Fixture f;
    CHECK(f.run(f.fill(0, 16)));
    CHECK(f.run(f.copy(1024, 0, 32)));
    CHECK(f.run(f.fill(1024 + 64, 16)));
    CHECK(f.run(f.store(1024, 32)));
    // In-place, too: undefined bytes stay undefined, defined ones stay defined.
    CHECK(f.run(f.copy(0, 0, 32)));
    CHECK(f.run(f.store(0, 16)));
    CHECK_FALSE(f.run(f.store(64, 1)));
}

TEST_CASE("commands that add many elements are tried out: what comes out different is undefined") {
    Fixture f;
    // The 16 columns of two rows at 0 are initialised, the next 16 columns are not.
    const isa::Dim4 stride{32, 32, 32, 1};
    const auto set = [&](std::uint32_t to, const isa::Dim4& shape) {
        return isa::Command::make(isa::Opcode::bdc_32bit_set_C,
                                  isa::VectorSet{{to}, {}, shape, stride});
    };
    CHECK(f.run(set(1024, {1, 1, 1, 2})));
    CHECK(f.run(set(0, {2, 1, 1, 16})));
    isa::MatrixMultiply product{};
    product.output_addr = {2048};
    product.left_addr = {1024};
    product.right_addr = {0};
    product.left_rows = 1;
    product.left_cols = 2;
    product.right_cols = 32;
    product.left_cols_per_channel = 2;
    product.right_cols_per_channel = 32;
    const std::uint32_t before = *f.local.words(0, 2048 + 64);
    CHECK(f.run(isa::Command::make(isa::Opcode::bdc_matmul, product)));
    CHECK(*f.local.words(0, 2048 + 64) == before);  // tried out only
    CHECK(f.run(f.store(2048, 16)));
    CHECK_FALSE(f.run(f.store(2048, 17)));
}

TEST_CASE("a product writes all columns of its last channel, of whatever its operands hold there") {
    Fixture f;
    // 6 columns, 4 to a channel: lane 1 has 2 of them, and 2 more are computed.
    const auto fill = [&](std::uint32_t to, const isa::Dim4& shape) {
        return isa::Command::make(isa::Opcode::bdc_32bit_set_C,
                                  isa::VectorSet{{to}, {}, shape, {32, 32, 32, 1}});
    };
    const std::int64_t lane_bytes = f.machine.local_bytes;
    const auto lane_1 = static_cast<std::uint32_t>(lane_bytes);
    CHECK(f.run(fill(0, {1, 1, 1, 2})));              // left: a row of two
    CHECK(f.run(fill(1024, {2, 1, 1, 4})));           // right: lane 0 whole,
    CHECK(f.run(fill(lane_1 + 1024, {2, 1, 1, 3})));  // lane 1 but for its last column
    isa::MatrixMultiply product{};
    product.output_addr = {2048};
    product.left_addr = {0};
    product.right_addr = {1024};
    product.left_rows = 1;
    product.left_cols = 2;
    product.right_cols = 6;
    product.left_cols_per_channel = 2;
    product.right_cols_per_channel = 4;
    const auto multiply = isa::Command::make(isa::Opcode::bdc_matmul, product);
    CHECK(f.run(multiply));
    // The third column of lane 1 has defined factors, the fourth undefined ones.
    CHECK_FALSE(f.undefined.reader_of(1, 2048 + 8));
    CHECK(f.map.knows_local(1, 2048 + 12, f.local));
    REQUIRE(f.undefined.reader_of(1, 2048 + 12) == f.number);
    CHECK(f.free_column_read.message() ==
          "right_addr reads lane 1, byte 0x40c, which is uninitialised");
    // It is defined as soon as its factors are.
    CHECK(f.run(fill(lane_1 + 1024, {2, 1, 1, 4})));
    CHECK(f.run(multiply));
    CHECK_FALSE(f.undefined.reader_of(1, 2048 + 12));
}

TEST_CASE("undefined values go through system memory and back, with who is to blame") {
    Fixture f;
    const std::uint64_t global = f.machine.global_start;
    CHECK(f.run(f.fill(0, 16)));
    CHECK(f.run(f.copy(1024, 0, 32)));      // 1: the words 16 to 31 are undefined
    CHECK_FALSE(f.run(f.store(1024, 32)));  // 2
    CHECK_FALSE(f.undefined.find(global, 64));
    const auto found = f.undefined.find(global, 128);
    REQUIRE(found);
    CHECK(found->address == global + 64);
    CHECK(found->source == UndefinedSource{1, 2});
    const isa::Dim4 stride{64, 64, 64, 1};
    const auto load = isa::Command::make(
        isa::Opcode::gdma_32bit_cpy_S2L,
        isa::GdmaCopyToLocal{{4096}, isa::SystemAddr::from(global), {1, 1, 1, 17}, stride, stride});
    CHECK(f.run(load));
    CHECK_FALSE(f.undefined.reader_of(0, 4096 + 60));
    CHECK(f.undefined.reader_of(0, 4096 + 64) == 1u);
    // New writes make bytes defined; bytes that another writer may have written count as defined.
    CHECK(f.run(f.store(0, 16)));
    CHECK(f.undefined.find(global, 128)->address == global + 64);
    f.undefined.forget_local(0, 4096, 4096);
    CHECK_FALSE(f.undefined.reader_of(0, 4096 + 64));
    f.undefined.forget_system(global, 100);
    CHECK(f.undefined.find(global, 128)->address == global + 100);
}

TEST_CASE("undefined values keep their column when a matrix is moved") {
    Fixture f;
    // A row of 6 columns, 4 to a channel; columns 4 and 5, in lane 1, are not initialised.
    CHECK(f.run(f.fill(0, 4)));
    isa::GdmaMatrixToSystem move{};
    move.dst_addr = isa::SystemAddr::from(f.machine.global_start);
    move.src_addr = {0};
    move.rows = 1;
    move.cols = 6;
    move.cols_per_channel = 4;
    move.row_stride = 6;
    CHECK_FALSE(f.run(isa::Command::make(isa::Opcode::gdma_32bit_matrix_L2S, move)));
    CHECK(f.undefined.find(f.machine.global_start, 64)->address == f.machine.global_start + 16);
    CHECK_FALSE(f.undefined.find(f.machine.global_start + 24, 64));
}

TEST_CASE("ranges of undefined bytes are joined and cut") {
    UndefinedRanges ranges;
    ranges.set(0, 4, {1, 2});
    ranges.set(4, 8, {1, 2});
    ranges.set(16, 24, {3, 4});
    ranges.clear(2, 6);
    CHECK(ranges.find(0, 100)->address == 0);
    CHECK(ranges.find(2, 100)->address == 6);
    CHECK_FALSE(ranges.find(2, 6));
    CHECK(ranges.find(8, 100)->source == UndefinedSource{3, 4});
    ranges.clear(20, 22);
    CHECK(ranges.find(20, 100)->address == 22);
    CHECK_FALSE(ranges.find(24, 100));
}

TEST_CASE("commands carry single undefined bytes of words") {
    Fixture f;
    const isa::Dim4 one{1, 1, 1, 1};
    const isa::Dim4 stride{64, 64, 64, 1};
    // Half words packed into one word; the upper one has an undefined source.
    CHECK(f.run(f.fill(0, 1)));
    CHECK(
        f.run(isa::Command::make(isa::Opcode::bdc_32bit_logical_shift_C,
                                 isa::VectorShiftConstant{{1024}, {4}, 16, one, stride, stride})));
    CHECK(f.run(
        isa::Command::make(isa::Opcode::bdc_32bit_or,
                           isa::VectorBinary{{2048}, {0}, {1024}, one, stride, stride, stride})));
    const auto store = [&](isa::Opcode opcode, std::uint32_t from) {
        return isa::Command::make(
            opcode,
            isa::GdmaCopyToSystem{
                isa::SystemAddr::from(f.machine.global_start), {from}, one, stride, stride});
    };
    CHECK(f.run(store(isa::Opcode::gdma_16bit_cpy_L2S, 2048)));
    CHECK_FALSE(f.run(store(isa::Opcode::gdma_16bit_cpy_L2S, 2050)));
    CHECK_FALSE(f.run(store(isa::Opcode::gdma_32bit_cpy_L2S, 2048)));
    // The first undefined byte in system memory is the second one.
    CHECK(f.undefined.find(f.machine.global_start, 4)->address == f.machine.global_start + 2);
    // Overwritten by bytes.
    const auto load = isa::Command::make(
        isa::Opcode::gdma_8bit_cpy_S2L,
        isa::GdmaCopyToLocal{
            {2050}, isa::SystemAddr::from(f.machine.global_start), {1, 1, 1, 2}, stride, stride});
    CHECK(f.run(load));
    CHECK(f.run(store(isa::Opcode::gdma_32bit_cpy_L2S, 2048)));
}

TEST_CASE("bytes between narrow elements are undefined") {
    Fixture f;
    f.map.mark_system(f.machine.global_start, 128);
    const isa::Dim4 stride{64, 64, 64, 1};
    // Contiguous rows of 3 bytes fill the words 0 and 1 up to byte 6.
    const auto load =
        isa::Command::make(isa::Opcode::gdma_8bit_cpy_S2L,
                           isa::GdmaCopyToLocal{{0},
                                                isa::SystemAddr::from(f.machine.global_start),
                                                {1, 1, 2, 3},
                                                {6, 6, 3, 1},
                                                stride});
    f.undefined.note_gaps(load, isa::tensor_views(load, f.machine), f.map, f.local);
    CHECK(f.run(load));
    CHECK(f.run(f.store(0, 1)));
    CHECK_FALSE(f.run(f.store(4, 1)));
    CHECK(f.undefined.find(f.machine.global_start, 4)->address == f.machine.global_start + 2);
}

TEST_CASE("dummies of packed tensors are undefined as elements, not as parts of words") {
    Fixture f;
    const isa::Dim4 stride{64, 64, 64, 1};
    // `batches` of 8-bit elements per word; the bytes of other batches are not written.
    const auto clip = [&](std::uint32_t to, std::uint32_t from, std::int32_t batches) {
        return isa::Command::make(
            isa::Opcode::bdc_fixed_point_packed_max_C,
            isa::FixedCompareConstant{
                {to}, {from}, 3, {batches, 1, 1, 4}, stride, stride, isa::OpType::kU8U8ToU8});
    };
    CHECK(f.run(f.fill(0, 4)));
    CHECK(f.run(clip(1024, 0, 3)));
    // Copies and stores of words, and commands that ignore the dummy bytes.
    CHECK(f.run(f.store(1024, 4)));
    CHECK_FALSE(f.undefined.find(f.machine.global_start, 16));
    CHECK(f.run(f.copy(2048, 1024, 4)));
    CHECK(f.run(clip(3072, 2048, 3)));
    CHECK(f.run(f.store(3072, 4)));
    CHECK(f.run(clip(2048, 2048, 3)));
    CHECK(f.run(f.store(2048, 4)));
    // Element-wise commands: the last one of four batches is undefined.
    CHECK(f.run(clip(4096, 3072, 4)));
    CHECK_FALSE(f.run(f.store(4096, 4)));
    CHECK(f.undefined.find(f.machine.global_start, 16)->address == f.machine.global_start + 3);
    // Every fourth byte separately, from local memory and from system memory.
    const auto pick = [&](std::uint32_t byte) {
        return isa::Command::make(
            isa::Opcode::gdma_8bit_cpy_L2S,
            isa::GdmaCopyToSystem{isa::SystemAddr::from(f.machine.global_start + 64),
                                  {1024 + byte},
                                  {1, 1, 4, 1},
                                  {4, 4, 1, 1},
                                  {16, 16, 4, 1}});
    };
    CHECK(f.run(pick(2)));
    CHECK_FALSE(f.run(pick(3)));
    CHECK(f.undefined.find(f.machine.global_start + 64, 4)->address == f.machine.global_start + 64);
    // Whole words, by bytes.
    CHECK(f.run(
        isa::Command::make(isa::Opcode::gdma_8bit_cpy_L2S,
                           isa::GdmaCopyToSystem{isa::SystemAddr::from(f.machine.global_start),
                                                 {1024},
                                                 {1, 1, 1, 16},
                                                 stride,
                                                 stride})));
    // With one batch, bytes 1 to 3 of every word are dummies. A row that ends inside a word reads
    // some of its bytes separately.
    CHECK(f.run(clip(7168, 0, 1)));
    const auto row = [&](std::int32_t bytes) {
        return isa::Command::make(
            isa::Opcode::gdma_8bit_cpy_L2S,
            isa::GdmaCopyToSystem{isa::SystemAddr::from(f.machine.global_start + 128),
                                  {7168},
                                  {1, 1, 1, bytes},
                                  stride,
                                  stride});
    };
    CHECK(f.run(row(12)));
    CHECK(f.run(row(13)));  // of the last word its written byte
    CHECK_FALSE(f.run(row(14)));
    // Stored and loaded again by words and by half words, the bytes keep their state.
    CHECK(f.run(f.store(1024, 4)));
    const isa::SystemAddr stored = isa::SystemAddr::from(f.machine.global_start);
    CHECK(f.run(
        isa::Command::make(isa::Opcode::gdma_32bit_cpy_S2L,
                           isa::GdmaCopyToLocal{{5120}, stored, {1, 1, 1, 4}, stride, stride})));
    CHECK(f.run(f.store(5120, 4)));
    CHECK(f.run(
        isa::Command::make(isa::Opcode::gdma_16bit_cpy_S2L,
                           isa::GdmaCopyToLocal{{6144}, stored, {1, 1, 1, 8}, stride, stride})));
    CHECK(f.run(f.store(6144, 4)));
    // Four batches write all bytes; three batches written over them leave the fourth unchanged.
    CHECK(f.run(clip(1024, 0, 4)));
    CHECK(f.run(clip(1024, 0, 3)));
    CHECK(f.run(clip(4096, 1024, 4)));
    CHECK(f.run(f.store(4096, 4)));
}

TEST_CASE("a result with dummies is defined in the words before the last ones") {
    Fixture f;
    // 2N: 3 batches of half words are 2 words, 64 words apart.
    const isa::Dim4 stride{64, 64, 64, 1};
    const auto clip = [&](std::uint32_t to, std::uint32_t from) {
        return isa::Command::make(
            isa::Opcode::bdc_fixed_point_packed_max_C,
            isa::FixedCompareConstant{
                {to}, {from}, 3, {3, 1, 1, 4}, stride, stride, isa::OpType::kU16U16ToU16});
    };
    CHECK(f.run(f.fill(0, 128)));
    CHECK(f.run(f.copy(1024, 2048, 128)));  // copies uninitialised words
    CHECK(f.undefined.holds(0, 1024));
    CHECK(f.run(clip(1024, 0)));
    CHECK(f.run(f.store(1024, 4)));  // the words of the first n: both batches are initialised
}

TEST_CASE("dummies of several words per channel and rows") {
    Fixture f;
    // 2N: 3 batches of half words are 2 words; the upper half of the second is a dummy. 5 channels
    // on 4 lanes with rows of 3 words, contiguous or with gaps, so that runs are split.
    const isa::Dim4 words{2, 5, 2, 3};
    const isa::Dim4 stride{64, 32, GENERATE(3, 5), 1};
    const auto fill = [&](std::uint32_t to) {
        return isa::Command::make(isa::Opcode::bdc_32bit_set_C,
                                  isa::VectorSet{{to}, {}, words, stride});
    };
    const auto clip = [&](std::uint32_t to, std::uint32_t from, std::int32_t batches) {
        return isa::Command::make(
            isa::Opcode::bdc_fixed_point_packed_max_C,
            isa::FixedCompareConstant{
                {to}, {from}, 3, {batches, 5, 2, 3}, stride, stride, isa::OpType::kU16U16ToU16});
    };
    const auto copy = [&](std::uint32_t to, std::uint32_t from) {
        return isa::Command::make(isa::Opcode::bdc_32bit_cpy,
                                  isa::VectorUnary{{to}, {from}, words, stride, stride});
    };
    CHECK(f.run(fill(0)));
    CHECK(f.run(clip(1024, 0, 3)));
    CHECK(f.run(copy(2048, 1024)));
    CHECK(f.run(clip(3072, 2048, 4)));
    int undefined = 0;
    for (std::int32_t lane = 0; lane < 4; ++lane) {
        for (std::int64_t at = 3072; at < 4096; at += 4) undefined += f.undefined.holds(lane, at);
    }
    CHECK(undefined == 5 * 2 * 3);  // words of the second n
    CHECK_FALSE(f.undefined.reader_of(0, 2048 + 256));
    CHECK(f.undefined.reader_of(0, 3072 + 256));
    CHECK_FALSE(f.undefined.reader_of(0, 3072));
    // One undefined word in the result's own range leaves the dummy bytes dummies.
    CHECK(f.run(f.copy(1024, 7 * 1024, 1)));
    CHECK(f.run(clip(1024, 1024, 3)));
    CHECK(f.undefined.reader_of(0, 1024));
    for (std::int32_t lane = 0; lane < 4; ++lane) {
        CHECK_FALSE(f.undefined.reader_of(lane, 1024 + 256));
        CHECK(f.undefined.holds(lane, 1024 + 256));
    }
}

TEST_CASE("what system memory has from nobody is undefined in lanes, too") {
    Fixture f;
    const isa::Dim4 stride{64, 64, 64, 1};
    const isa::SystemAddr global = isa::SystemAddr::from(f.machine.global_start);
    f.map.mark_system(f.machine.global_start, 64);
    // 16 initialised words and 4 uninitialised ones.
    CHECK(f.run(
        isa::Command::make(isa::Opcode::gdma_32bit_cpy_S2L,
                           isa::GdmaCopyToLocal{{0}, global, {1, 1, 1, 20}, stride, stride})));
    CHECK_FALSE(f.undefined.holds(0, 60));
    CHECK(f.undefined.reader_of(0, 64) == 1);
    CHECK(f.undefined.reader_of(0, 76) == 1);
    CHECK_FALSE(f.undefined.holds(0, 80));
}

TEST_CASE("system memory at the addresses that lanes have, too, is another place") {
    Fixture f;
    f.machine.dtcm_start = 0;
    SystemMemory system(f.machine);
    const auto gap = f.copy(0, 256, 16);  // of uninitialised words
    const isa::TensorViews views = isa::tensor_views(gap, f.machine);
    UndefinedWords carried(
        f.machine, [&](const isa::Command& command) { execute_bdc(command, f.local, f.pool); });
    carried.carry(gap, views, f.map, f.local, system, 1);
    carried.settle(gap, views);
    REQUIRE(carried.holds(0, 0));
    const isa::Dim4 stride{64, 64, 64, 1};
    const auto load = isa::Command::make(
        isa::Opcode::gdma_32bit_cpy_S2L,
        isa::GdmaCopyToLocal{{1024}, isa::SystemAddr::from(0), {1, 1, 1, 16}, stride, stride});
    CHECK_FALSE(carried.reads(load, isa::tensor_views(load, f.machine)));
}

TEST_CASE("what somebody else may have written is forgotten in its lane alone") {
    constexpr std::int32_t kManyLanes = 70;  // more than a word of a mask has bits
    const isa::MachineShape machine = tests::small_machine(kManyLanes, 1024);
    LocalMemory local{machine};
    SystemMemory system{machine};
    WrittenMap map{machine};
    LanePool pool;
    UndefinedWords undefined(
        machine, [&](const isa::Command& command) { execute_bdc(command, local, pool); });
    const isa::Dim4 stride{4, 4, 4, 1};
    const auto copy =
        isa::Command::make(isa::Opcode::bdc_32bit_cpy,
                           isa::VectorUnary{{512}, {0}, {1, kManyLanes, 1, 4}, stride, stride});
    const isa::TensorViews views = isa::tensor_views(copy, machine);
    undefined.carry(copy, views, map, local, system, 1);
    undefined.settle(copy, views);
    for (const std::int32_t forgotten : {1, 66}) {
        undefined.forget_local(forgotten, 516, 1 << 20);
        for (const std::int32_t lane : {0, 1, 2, 64, 65, 66, 69}) {
            const bool is_forgotten = lane == forgotten || (forgotten == 66 && lane == 1);
            CHECK(undefined.holds(lane, 512));
            for (const std::int64_t at : {516, 520, 524}) {
                CHECK(undefined.holds(lane, at) == !is_forgotten);
            }
        }
    }
}

}  // namespace okksim::models
