// SPDX-License-Identifier: Apache-2.0
#include "models/memory/written_map.h"

#include <utility>

#include "isa/layout.h"
#include "tests/support/catch.h"
#include "tests/support/small_machine.h"

namespace okksim::models {
namespace {

constexpr std::int64_t kLaneBytes = 4096;

struct Fixture {
    explicit Fixture(std::int32_t lanes = 4)
        : machine(tests::small_machine(lanes, kLaneBytes)),
          local(machine),
          system(machine),
          map(machine) {}

    isa::LocalAddr at(std::int32_t lane, std::int64_t offset) const {
        return {static_cast<std::uint32_t>(lane * kLaneBytes + offset)};
    }
    isa::Command copy(isa::LocalAddr to, isa::LocalAddr from, const isa::Dim4& shape) const {
        const isa::Dim4 stride = isa::aligned_stride(from, shape, 32, machine);
        return isa::Command::make(isa::Opcode::bdc_32bit_cpy,
                                  isa::VectorUnary{to, from, shape, stride, stride});
    }
    isa::Command fill(isa::LocalAddr to, const isa::Dim4& shape) const {
        return isa::Command::make(
            isa::Opcode::bdc_32bit_set_C,
            isa::VectorSet{to, {}, shape, isa::aligned_stride(to, shape, 32, machine)});
    }
    std::optional<PoisonRead> track(const isa::Command& command) {
        const isa::TensorViews views = isa::tensor_views(command, machine);
        const auto found = map.find_unwritten(command, views, local, system);
        map.mark_results(command, views);
        return found;
    }

    isa::MachineShape machine;
    LocalMemory local;
    SystemMemory system;
    WrittenMap map;
};

}  // namespace

TEST_CASE("reading what a command wrote is fine, one element more is reported") {
    Fixture f;
    // 6 channels from lane 3 on 4 lanes: lane 3 holds slot 0, lanes 0..3 slot 1, lane 0 slot 2.
    const isa::Dim4 shape{2, 6, 3, 5};
    CHECK(!f.track(f.fill(f.at(3, 0), shape)));
    CHECK(!f.track(f.copy(f.at(3, 2048), f.at(3, 0), shape)));
    // One more channel: channel 6 is in lane (3 + 6) % 4 = 1, slot (3 + 6) / 4 = 2. A slot is 128
    // bytes (15 elements, aligned to 32).
    const auto found = f.track(f.copy(f.at(3, 2048), f.at(3, 0), {1, 7, 3, 5}));
    REQUIRE(found);
    CHECK(found->local);
    CHECK(found->lane == 1);
    CHECK(found->offset == 2 * 128);
    CHECK(std::string(found->operand) == "src_addr");
    CHECK(found->message() == "src_addr reads lane 1, byte 0x100, which is uninitialised");
}

TEST_CASE("padding between rows stays unwritten") {
    Fixture f;
    CHECK(!f.track(f.fill(f.at(0, 0), {1, 4, 1, 5})));
    const auto found = f.track(f.copy(f.at(0, 1024), f.at(0, 0), {1, 4, 1, 6}));
    REQUIRE(found);
    CHECK(found->lane == 0);
    CHECK(found->offset == 5 * 4);
}

TEST_CASE("reads of padding may be tolerated up to the next 128-byte boundary") {
    Fixture f;
    WrittenMap map(f.machine, PaddingReads::kTolerated);
    const auto track = [&](const isa::Command& command) {
        const isa::TensorViews views = isa::tensor_views(command, f.machine);
        const auto found = map.find_unwritten(command, views, f.local, f.system);
        map.mark_results(command, views);
        return found;
    };
    CHECK(!track(f.fill(f.at(0, 0), {1, 4, 1, 5})));
    CHECK(!track(f.copy(f.at(0, 1024), f.at(0, 0), {1, 4, 1, 32})));
    const auto found = track(f.copy(f.at(0, 2048), f.at(0, 0), {1, 4, 1, 33}));
    REQUIRE(found);
    CHECK(found->offset == 128);
}

TEST_CASE("stores through host pointers count as written") {
    Fixture f;
    std::fill_n(f.local.words(2, 64), 4, 0u);
    CHECK(!f.track(f.copy(f.at(2, 512), f.at(2, 64), {1, 1, 1, 4})));
    const auto found = f.track(f.copy(f.at(2, 512), f.at(2, 64), {1, 1, 1, 5}));
    REQUIRE(found);
    CHECK(found->offset == 64 + 4 * 4);
    f.map.mark_local(2, 80, 4);
    CHECK(!f.track(f.copy(f.at(2, 512), f.at(2, 64), {1, 1, 1, 5})));
}

TEST_CASE("reads of unwritten system memory are reported by address") {
    Fixture f;
    const isa::Dim4 shape{1, 4, 8, 16};
    const isa::Command load = isa::Command::make(
        isa::Opcode::gdma_32bit_cpy_S2L,
        isa::GdmaCopyToLocal{f.at(0, 0), isa::SystemAddr::from(f.machine.global_start + 256), shape,
                             isa::aligned_stride(0, shape, 32, 4, 128),
                             isa::continuous_stride(shape)});
    const auto found = f.track(load);
    REQUIRE(found);
    CHECK(!found->local);
    CHECK(found->address == f.machine.global_start + 256);
    // 4 * 8 * 16 words = 2048 bytes; all but the last granule of 64.
    f.map.mark_system(f.machine.global_start + 256, 2048 - 64);
    const auto last = f.track(load);
    REQUIRE(last);
    CHECK(last->address == f.machine.global_start + 256 + 2048 - 64);
    f.map.mark_system(f.machine.global_start + 256 + 2048 - 64, 64);
    CHECK(!f.track(load));
    // The load itself has written lanes 0..3.
    CHECK(!f.track(f.copy(f.at(0, 2048), f.at(0, 0), shape)));
}

TEST_CASE("forgotten system memory is nobody's again, by whole granules") {
    constexpr std::uint64_t kGranule = WrittenMap::kGranuleBytes;
    Fixture f;
    const std::uint64_t start = f.machine.global_start;
    // Within a word of 64 granules, up to its end, over three words; and partial granules.
    const std::pair<std::uint64_t, std::uint64_t> ranges[] = {
        {3, 5}, {60, 64}, {64, 128}, {10, 150}, {63, 65}};
    constexpr std::uint64_t kGranules = 200;
    for (const auto& [first, last] : ranges) {
        for (const std::uint64_t part : {std::uint64_t{0}, std::uint64_t{1}}) {
            f.map.mark_system(start, kGranules * kGranule);
            f.map.forget_system(start + first * kGranule - part,
                                (last - first) * kGranule + 2 * part);
            for (std::uint64_t g = 0; g < kGranules; ++g) {
                CHECK(f.map.knows_system(start + g * kGranule, f.system) ==
                      (g < first || g >= last));
            }
        }
    }
    f.map.mark_system(start, kGranule);
    f.map.forget_system(start + 1, kGranule - 1);
    CHECK(f.map.knows_system(start, f.system));
    // A granule that is forgotten twice, and an address outside all memories.
    f.map.forget_system(start, kGranule);
    f.map.forget_system(start, kGranule);
    f.map.forget_system(0, kGranule);
    CHECK_FALSE(f.map.knows_system(start, f.system));
}

TEST_CASE("the dummy of an odd number of weight channels and free matrix columns are not read") {
    Fixture f;
    isa::Convolution conv;
    conv.input_shape = {1, 3, 1, 1};
    conv.output_c = 2;
    conv.kernel_h = conv.kernel_w = 1;
    conv.stride = conv.dilation = {1, 1};
    conv.output_addr = f.at(0, 2048);
    conv.weight_addr = f.at(0, 512);
    conv.input_stride = isa::aligned_stride(0, conv.input_shape, 32, 4, 128);
    conv.kernel_stride = {1, 1, 1, 1};
    for (std::int32_t lane = 0; lane < 3; ++lane) f.map.mark_local(lane, 0, 4);
    // Lanes 0 and 1 hold one output channel each: pairs (w0, w1) and (w2, dummy).
    for (std::int32_t lane = 0; lane < 2; ++lane) f.map.mark_local(lane, 512, 12);
    CHECK(!f.track(isa::Command::make(isa::Opcode::bdc_conv2d, conv)));

    // 2 x 5 matrix, 2 columns per channel: channels hold 2, 2 and 1 columns.
    isa::GdmaMatrixToSystem store;
    store.src_addr = f.at(3, 1024);
    store.dst_addr = isa::SystemAddr::from(f.machine.l2_start);
    store.rows = 2;
    store.cols = 5;
    store.cols_per_channel = 2;
    store.row_stride = 5;
    // Rows are one slot of 128 bytes apart (3 channels on 4 lanes). Channels 1 and 2 wrap to lanes
    // 0 and 1, one slot further.
    for (std::int64_t row = 0; row < 2; ++row) {
        f.map.mark_local(3, 1024 + row * 128, 8);
        f.map.mark_local(0, 1024 + 128 + row * 128, 8);
        f.map.mark_local(1, 1024 + 128 + row * 128, 4);
    }
    CHECK(!f.track(isa::Command::make(isa::Opcode::gdma_32bit_matrix_L2S, store)));
    store.cols = 6;
    CHECK(f.track(isa::Command::make(isa::Opcode::gdma_32bit_matrix_L2S, store)));
}

TEST_CASE("of a unit of four weights of 16 bits those that no channel has are not read") {
    for (const std::int32_t channels : {1, 2, 3, 4, 5, 6, 7, 8}) {
        CAPTURE(channels);
        isa::HalfConvolution conv;
        conv.input_shape = {1, channels, 1, 1};
        conv.output_c = 2;
        conv.kernel_h = conv.kernel_w = 1;
        conv.stride = conv.dilation = {1, 1};
        conv.weight_addr = {512};
        conv.output_addr = {2048};
        conv.kernel_stride = {1, 1, 1, 1};
        conv.input_type = conv.output_type = isa::ElementType::kFp16;
        // Lanes 0 and 1 hold one output channel each; the last word of lane 1 is initialised or
        // not.
        for (const bool is_there : {true, false}) {
            Fixture f;
            for (std::int32_t lane = 0; lane < 4; ++lane) f.map.mark_local(lane, 0, 256);
            f.map.mark_local(0, 512, 2 * channels);
            f.map.mark_local(1, 512, is_there ? 2 * channels : (channels - 1) / 2 * 4);
            CHECK(f.track(isa::Command::make(isa::Opcode::bdc_half_conv2d, conv)).has_value() !=
                  is_there);
        }
    }
}

TEST_CASE("numbers of 48 bits are read whole") {
    Fixture f;
    isa::IntRescaleConstant scale;
    scale.src_addr = {512};
    scale.dst_addr = {2048};
    scale.shape = {1, 1, 1, 3};
    scale.src_stride = scale.dst_stride = {3, 3, 3, 1};
    scale.src_type = isa::ElementType::kInt48;
    scale.dst_type = isa::ElementType::kInt32;
    f.map.mark_local(0, 512, 20);
    CHECK(f.track(isa::Command::make(isa::Opcode::bdc_rescale_C, scale)));
    f.map.mark_local(0, 532, 4);
    CHECK(!f.track(isa::Command::make(isa::Opcode::bdc_rescale_C, scale)));
}

TEST_CASE("more than 64 lanes, negative and zero strides") {
    Fixture f(100);
    const isa::Dim4 shape{1, 100, 1, 4};
    CHECK(!f.track(f.fill(f.at(0, 0), shape)));
    isa::VectorUnary reversed{f.at(0, 1024), f.at(0, 12), shape, {4, 4, 4, 1}, {4, 4, 4, -1}};
    CHECK(!f.track(isa::Command::make(isa::Opcode::bdc_32bit_cpy, reversed)));
    reversed.src_stride = {0, 0, 0, 0};
    reversed.shape = {9, 100, 7, 4};
    CHECK(!f.track(isa::Command::make(isa::Opcode::bdc_32bit_cpy, reversed)));
    reversed.src_addr = f.at(0, 16);
    const auto found = f.track(isa::Command::make(isa::Opcode::bdc_32bit_cpy, reversed));
    REQUIRE(found);
    CHECK(found->offset == 16);
}

TEST_CASE("channels side by side are one run only when there is nothing else") {
    Fixture f;
    // 3 channels of 4 contiguous words, for each of 2 batches, 400 bytes apart.
    const isa::Dim4 shape{2, 3, 1, 4};
    const auto global = f.machine.global_start;
    f.track(f.fill(f.at(0, 0), shape));
    f.track(isa::Command::make(isa::Opcode::gdma_32bit_cpy_L2S,
                               isa::GdmaCopyToSystem{isa::SystemAddr::from(global),
                                                     f.at(0, 0),
                                                     shape,
                                                     {100, 4, 4, 1},
                                                     isa::aligned_stride(0, shape, 32, 4, 128)}));
    for (const std::uint64_t at : {0, 44, 400, 444}) {
        CAPTURE(at);
        CHECK(f.map.knows_system(global + at, f.system));
    }
    CHECK_FALSE(f.map.knows_system(global + 512, f.system));
}

TEST_CASE("channels that lie apart in system memory are written each in its place") {
    Fixture f;
    const isa::Dim4 shape{1, 2, 1, 4};
    const auto global = f.machine.global_start;
    f.track(f.fill(f.at(0, 0), shape));
    f.track(isa::Command::make(isa::Opcode::gdma_32bit_cpy_L2S,
                               isa::GdmaCopyToSystem{isa::SystemAddr::from(global),
                                                     f.at(0, 0),
                                                     shape,
                                                     {128, 64, 4, 1},
                                                     isa::aligned_stride(0, shape, 32, 4, 128)}));
    // Channel 1 begins 64 words after channel 0; whole granules of 64 bytes in between stay
    // unknown.
    CHECK(f.map.knows_system(global, f.system));
    CHECK(f.map.knows_system(global + 256, f.system));
    CHECK_FALSE(f.map.knows_system(global + 64, f.system));
}

TEST_CASE("of very many pieces everything between the first and the last is taken as written") {
    Fixture f;
    // Every second word, 4097 in total: one run more than are recorded separately.
    const isa::Dim4 shape{1, 1, 4097, 1};
    const auto global = f.machine.global_start + 4096;
    const auto load = [&](std::int32_t rows) {
        return isa::Command::make(
            isa::Opcode::gdma_32bit_set_C_system,
            isa::GdmaFillSystem{isa::SystemAddr::from(global), {}, {1, 1, rows, 1}, {1, 1, 2, 1}});
    };
    f.track(load(shape.h));
    CHECK(f.map.knows_system(global, f.system));
    CHECK(f.map.knows_system(global + 8 * 4096, f.system));
    CHECK_FALSE(f.map.knows_system(global - 64, f.system));
    CHECK_FALSE(f.map.knows_system(global + 8 * 4096 + 64, f.system));
}

TEST_CASE("what lies between channels of very many pieces stays unwritten") {
    Fixture f;
    // Like above, with another channel 65536 words later: the first channel ends after 8193 words.
    // words.
    const auto global = f.machine.global_start;
    f.track(isa::Command::make(
        isa::Opcode::gdma_32bit_set_C_system,
        isa::GdmaFillSystem{isa::SystemAddr::from(global), {}, {1, 2, 4097, 1}, {1, 65536, 2, 1}}));
    CHECK(f.map.knows_system(global + 4 * 8192, f.system));
    CHECK_FALSE(f.map.knows_system(global + 4 * 8192 + 64, f.system));
    CHECK_FALSE(f.map.knows_system(global + 4 * 65536 - 64, f.system));
    CHECK(f.map.knows_system(global + 4 * 65536, f.system));
    CHECK_FALSE(f.map.knows_system(global + 4 * (65536 + 8192) + 64, f.system));
}

}  // namespace okksim::models
