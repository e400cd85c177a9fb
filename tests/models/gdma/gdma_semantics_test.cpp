// SPDX-License-Identifier: Apache-2.0
#include "models/gdma/gdma_semantics.h"

#include <cstring>

#include "isa/base/errors.h"
#include "isa/base/fault.h"
#include "isa/layout.h"
#include "tests/support/catch.h"
#include "tests/support/small_machine.h"

namespace okksim::models {
namespace {

struct Fixture {
    isa::MachineShape machine = tests::small_machine(4, 4096);
    LocalMemory local{machine};
    SystemMemory system{machine};

    std::uint32_t* global(std::int64_t word) {
        return reinterpret_cast<std::uint32_t*>(
            system.pointer(machine.global_start + static_cast<std::uint64_t>(4 * word), 4));
    }
    isa::SystemAddr global_addr(std::int64_t word) const {
        return isa::SystemAddr::from(machine.global_start + static_cast<std::uint64_t>(4 * word));
    }
    template <typename Form>
    void run(isa::Opcode opcode, const Form& form) {
        execute_gdma(isa::Command::make(opcode, form), local, system);
    }
};

}  // namespace

TEST_CASE("a system range that leaves its memory is a fault and writes nothing") {
    Fixture f;
    const isa::Dim4 shape{1, 4, 1, 8};
    // The last word of the source is one past the end of global memory.
    const std::int64_t words = static_cast<std::int64_t>(f.machine.global_bytes / 4);
    const isa::GdmaCopyToLocal load{{0},
                                    f.global_addr(words - 31),
                                    shape,
                                    isa::compact_stride(0, shape, 4),
                                    isa::continuous_stride(shape)};
    try {
        f.run(isa::Opcode::gdma_32bit_cpy_S2L, load);
        FAIL("no fault");
    } catch (const ProgramFault& fault) {
        CHECK(fault.record().code == FaultCode::kBadAddress);
        CHECK(fault.record().function == "okk_gdma_32bit_cpy_S2L");
        CHECK(fault.record().argument == "src_addr");
        // 0x100000000 + 1 MiB - 31 words.
        CHECK(fault.record().value == "0x1000fff84");
        CHECK(fault.record().rule.find("[0x1000fff84, 0x100100004)") != std::string::npos);
    }
    CHECK(*f.local.words(0, 0) == 0xCDCDCDCDu);
    isa::GdmaFillSystem fill{isa::SystemAddr::from(16), {1}, shape, isa::continuous_stride(shape)};
    CHECK_THROWS_AS(f.run(isa::Opcode::gdma_32bit_set_C_system, fill), ProgramFault);
    fill.dst_addr = f.global_addr(8);
    fill.dst_stride = {0, -4, 0, 1};  // 8 - 3 * 4 is below the first word
    CHECK_THROWS_AS(f.run(isa::Opcode::gdma_32bit_set_C_system, fill), ProgramFault);
}

TEST_CASE("overlapping copies move elements in ascending order") {
    Fixture f;
    for (int i = 0; i < 16; ++i) *f.global(i) = static_cast<std::uint32_t>(i);
    const isa::Dim4 shape{1, 1, 1, 10};
    const isa::Dim4 stride = isa::continuous_stride(shape);
    // One word up: the first element spreads through the whole destination.
    f.run(isa::Opcode::gdma_32bit_cpy_S2S,
          isa::GdmaCopySystem{f.global_addr(1), f.global_addr(0), shape, stride, stride});
    for (int i = 0; i <= 10; ++i) CHECK(*f.global(i) == 0u);
    CHECK(*f.global(11) == 11u);
    // Two words down: an ordinary copy.
    f.run(isa::Opcode::gdma_32bit_cpy_S2S,
          isa::GdmaCopySystem{f.global_addr(4), f.global_addr(6), shape, stride, stride});
    CHECK(*f.global(9) == 11u);
    CHECK(*f.global(13) == 15u);
    // Channels one lane up: lane 0's value reaches every lane.
    for (int lane = 0; lane < 4; ++lane) {
        *f.local.words(lane, 0) = 100u + static_cast<std::uint32_t>(lane);
    }
    const isa::Dim4 lanes{1, 3, 1, 1};
    f.run(isa::Opcode::gdma_32bit_cpy_L2L,
          isa::GdmaCopyLocal{{4096}, {0}, lanes, {1, 1, 1, 1}, {1, 1, 1, 1}});
    for (int lane = 0; lane < 4; ++lane) CHECK(*f.local.words(lane, 0) == 100u);
}

TEST_CASE(
    "copies between lanes that overlap move channels in ascending order wherever they begin") {
    const isa::MachineShape machine = tests::small_machine(8, 4096);
    LocalMemory local{machine};
    SystemMemory system{machine};
    for (int lane = 0; lane < 8; ++lane) {
        *local.words(lane, 0) = 100u + static_cast<std::uint32_t>(lane);
    }
    // From lanes 2 to 4 to lanes 3 to 5: lane 2's value reaches all of them.
    const isa::GdmaCopyLocal copy{{3 * 4096}, {2 * 4096}, {1, 3, 1, 1}, {1, 1, 1, 1}, {1, 1, 1, 1}};
    execute_gdma(isa::Command::make(isa::Opcode::gdma_32bit_cpy_L2L, copy), local, system);
    for (int lane = 2; lane <= 5; ++lane) CHECK(*local.words(lane, 0) == 102u);
    CHECK(*local.words(6, 0) == 106u);
}

TEST_CASE("copies between lanes that overlap move batches one after the other") {
    const isa::MachineShape machine = tests::small_machine(8, 4096);
    LocalMemory local{machine};
    SystemMemory system{machine};
    for (int lane = 0; lane < 8; ++lane) {
        for (int i = 0; i < 3; ++i) {
            local.words(lane, 0)[i] = static_cast<std::uint32_t>(100 * lane + i);
        }
    }
    // Two batches, words 1 and 2 of lanes 2 to 4, to words 0 and 1 of lanes 3 to 5. The first batch
    // reads word 1 of lanes 3 and 4 before the second one writes it.
    const isa::GdmaCopyLocal copy{
        {3 * 4096}, {2 * 4096 + 4}, {2, 3, 1, 1}, {1, 1, 1, 1}, {1, 1, 1, 1}};
    execute_gdma(isa::Command::make(isa::Opcode::gdma_32bit_cpy_L2L, copy), local, system);
    for (int channel = 0; channel < 3; ++channel) {
        const auto from = static_cast<std::uint32_t>(100 * (2 + channel));
        CHECK(local.words(3 + channel, 0)[0] == from + 1);
        CHECK(local.words(3 + channel, 0)[1] == from + 2);
    }
}

TEST_CASE("the last of several elements at one address stays") {
    Fixture f;
    for (int i = 0; i < 24; ++i) *f.global(i) = static_cast<std::uint32_t>(i);
    const isa::Dim4 shape{2, 3, 2, 2};
    // All of n, c, h fall on the same row: the element with the highest (n, c, h) wins.
    f.run(isa::Opcode::gdma_32bit_cpy_S2S, isa::GdmaCopySystem{f.global_addr(100),
                                                               f.global_addr(0),
                                                               shape,
                                                               {0, 0, 0, 1},
                                                               isa::continuous_stride(shape)});
    CHECK(*f.global(100) == 22u);
    CHECK(*f.global(101) == 23u);
}

TEST_CASE("fills of every width leave the gaps alone") {
    Fixture f;
    const isa::Dim4 shape{2, 5, 3, 3};
    const isa::Dim4 stride = isa::aligned_stride(2, shape, 8, 4, 128);
    f.run(isa::Opcode::gdma_8bit_set_C_local,
          isa::GdmaFillLocal{{2 * 4096}, {0x1A5}, shape, stride});
    // Channel 2 is in lane 0, slot 1; a slot is 9 bytes rounded up to 128.
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(f.local.at(0, 128));
    for (int i = 0; i < 9; ++i) CHECK(int{bytes[i]} == 0xA5);
    CHECK(int{bytes[9]} == 0xCD);
    f.run(isa::Opcode::gdma_16bit_set_C_system,
          isa::GdmaFillSystem{f.global_addr(0), {0x1BEEF}, {1, 1, 2, 3}, {0, 0, 4, 1}});
    // Rows of 3 16-bit elements, 4 apart.
    CHECK(*f.global(0) == 0xBEEFBEEFu);
    CHECK(*f.global(1) == 0xCDCDBEEFu);
    CHECK(*f.global(2) == 0xBEEFBEEFu);
}

TEST_CASE("commands of the other engine are refused") {
    Fixture f;
    const isa::Dim4 shape{1, 1, 1, 1};
    CHECK_THROWS_AS(f.run(isa::Opcode::bdc_32bit_set_C, isa::VectorSet{{0}, {1}, shape, {}}),
                    InternalError);
}

/// A matrix of two rows in the layout of local memory: element (r, c) is 100 * r + c.
void write_matrix(Fixture& f, std::int32_t cols, std::int32_t per_channel) {
    const isa::Dim4 shape{2, (cols + per_channel - 1) / per_channel, 1, per_channel};
    const isa::Dim4 stride = isa::aligned_stride(0, shape, 32, f.machine.lanes,
                                                 f.machine.vector_words * isa::kWordBytes);
    for (std::int32_t r = 0; r < 2; ++r) {
        for (std::int32_t c = 0; c < cols; ++c) {
            const std::int32_t channel = c / per_channel;
            const std::int64_t word =
                r * stride.n + channel / f.machine.lanes * stride.c + c % per_channel * stride.w;
            *f.local.words(channel % f.machine.lanes, 4 * word) =
                static_cast<std::uint32_t>(100 * r + c);
        }
    }
}

TEST_CASE("rows of a stored matrix that overlap are written in order, the later row last") {
    for (const std::int32_t cols : {8, 7}) {  // whole channels of 4 columns, and a partial one
        CAPTURE(cols);
        Fixture f;
        write_matrix(f, cols, 4);
        isa::GdmaMatrixToSystem store;
        store.dst_addr = f.global_addr(0);
        store.rows = 2;
        store.cols = cols;
        store.cols_per_channel = 4;
        store.row_stride = 4;
        f.run(isa::Opcode::gdma_32bit_matrix_L2S, store);
        // Words 0 to 3 belong to the first row, all words from 4 on to the second.
        for (std::int32_t w = 0; w < 4; ++w) CHECK(*f.global(w) == static_cast<std::uint32_t>(w));
        for (std::int32_t c = 0; c < cols; ++c) {
            CAPTURE(c);
            CHECK(*f.global(4 + c) == static_cast<std::uint32_t>(100 + c));
        }
    }
}

}  // namespace okksim::models
