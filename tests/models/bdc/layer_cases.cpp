// SPDX-License-Identifier: Apache-2.0
#include "tests/models/bdc/layer_cases.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <sstream>

#include "tests/support/small_machine.h"

namespace okksim::tests {
namespace {

std::int32_t window_extent(int input, int pad, int kernel, int dilation, int stride) {
    return static_cast<std::int32_t>(isa::window_output(input, pad, kernel, dilation, stride));
}

}  // namespace

void LayerCases::fill(models::LocalMemory& memory, bool special) {
    constexpr float kSpecial[] = {std::numeric_limits<float>::infinity(),
                                  -std::numeric_limits<float>::infinity(),
                                  std::numeric_limits<float>::quiet_NaN(),
                                  1e-40f,
                                  -1e-40f,
                                  0.0f,
                                  -0.0f,
                                  1e38f,
                                  -1e38f,
                                  1e-20f,
                                  -1e-20f,
                                  std::numeric_limits<float>::min(),
                                  -1.5e-38f};
    float* data = memory.floats(0, 0);
    const std::int64_t count = memory.storage_bytes() / 4;
    for (std::int64_t i = 0; i < count; ++i) {
        const std::uint32_t bits = random_();
        // Numbers around 1 with full mantissas, so that results depend on the order of additions.
        data[i] = (static_cast<float>(static_cast<std::int32_t>(bits)) + 0.5f) * 0x1p-30f;
        if (special && bits % 16 == 0) data[i] = kSpecial[bits / 16 % std::size(kSpecial)];
    }
}

isa::LocalAddr LayerCases::place(std::int32_t lane, std::int64_t floats_per_lane, int alignment) {
    used_ = isa::align_up(used_, alignment);
    const std::int64_t offset = used_;
    used_ += floats_per_lane * 4;
    // Some tensors have gaps between them.
    if (chance(50)) used_ += alignment * pick(0, 2);
    return {static_cast<std::uint32_t>(lane * bytes_per_lane_ + offset)};
}

std::int64_t LayerCases::aligned_floats(std::int32_t lane, const isa::Dim4& shape) const {
    return std::int64_t{isa::aligned_stride(lane, shape, 32, lanes_, 128).n} * shape.n;
}

isa::LocalAddr LayerCases::place_aligned(std::int32_t lane, const isa::Dim4& shape) {
    return place(lane, aligned_floats(lane, shape), 128);
}

isa::Dim4 LayerCases::feature_map(int max_c, int max_hw) {
    return {chance(70) ? 1 : pick(2, 3), pick(1, max_c), pick(1, max_hw), pick(1, max_hw)};
}

isa::Convolution LayerCases::convolution() {
    while (true) {
        restart();
        isa::Convolution o;
        o.input_shape = feature_map(chance(50) ? 9 : 3 * lanes_ / 2, chance(80) ? 9 : 40);
        o.output_c = pick(1, chance(50) ? 9 : 3 * lanes_ / 2);
        o.kernel_h = pick(1, 4);
        o.kernel_w = pick(1, 4);
        o.padding = {pick(0, 3), pick(0, 3), pick(0, 3), pick(0, 3)};
        o.stride = {pick(1, 3), pick(1, 3)};
        o.dilation = {pick(1, 3), pick(1, 3)};
        o.using_bias = chance(50) ? 1 : 0;
        o.result_add = chance(30) ? 1 : 0;
        const isa::Dim4 output{o.input_shape.n, o.output_c,
                               window_extent(o.input_shape.h, o.padding.top + o.padding.bottom,
                                             o.kernel_h, o.dilation.h, o.stride.h),
                               window_extent(o.input_shape.w, o.padding.left + o.padding.right,
                                             o.kernel_w, o.dilation.w, o.stride.w)};
        if (output.h <= 0 || output.w <= 0) continue;
        const int lane = pick(0, lanes_ - 1);
        const int input_lane = chance(50) ? lane : pick(0, lanes_ - 1);
        o.output_addr = place_aligned(lane, output);
        // Input strides: default, spread out, or zero in some dimensions.
        o.input_stride = isa::aligned_stride(input_lane, o.input_shape, 32, lanes_, 128);
        std::int64_t input_floats = aligned_floats(input_lane, o.input_shape);
        if (chance(40)) {
            const int spread = pick(1, 2);
            isa::Dim4& s = o.input_stride;
            s.w = spread;
            s.h = s.w * o.input_shape.w + pick(0, 3);
            s.c = s.h * o.input_shape.h + pick(0, 3);
            s.n = s.c * isa::channels_per_lane(input_lane, o.input_shape.c, lanes_) + pick(0, 3);
            input_floats = std::int64_t{s.n} * o.input_shape.n;
            for (std::int32_t* dimension : {&s.n, &s.c, &s.h, &s.w}) {
                if (chance(15)) *dimension = 0;
            }
        }
        o.input_addr = place(input_lane, input_floats, 4);
        const isa::Dim4 weights =
            isa::weight_2ic_shape(o.input_shape.c, o.output_c, o.kernel_h, o.kernel_w);
        o.kernel_stride = isa::compact_stride(lane, weights, lanes_);
        if (chance(30)) {
            o.kernel_stride.w = 2;
            o.kernel_stride.h = 2 * o.kernel_w + pick(0, 2);
            o.kernel_stride.c = o.kernel_stride.h * o.kernel_h + pick(0, 2);
            o.kernel_stride.n =
                o.kernel_stride.c * isa::channels_per_lane(lane, weights.c, lanes_) + pick(0, 2);
        }
        o.weight_addr = place(lane, std::int64_t{2} * o.kernel_stride.n * weights.n, 4);
        o.bias_addr = place(lane, isa::channels_per_lane(lane, o.output_c, lanes_), 4);
        if (fits()) return o;
    }
}

isa::Depthwise LayerCases::depthwise() {
    while (true) {
        restart();
        isa::Depthwise o;
        o.input_shape = feature_map(3 * lanes_ / 2, chance(70) ? 12 : 70);
        o.kernel_h = pick(1, 5);
        o.kernel_w = pick(1, 5);
        o.padding = {pick(0, 4), pick(0, 4), pick(0, 4), pick(0, 4)};
        o.stride = {pick(1, 4), pick(1, 4)};
        o.dilation = {pick(1, 3), pick(1, 3)};
        o.using_bias = chance(50) ? 1 : 0;
        const isa::Dim4 output{o.input_shape.n, o.input_shape.c,
                               window_extent(o.input_shape.h, o.padding.top + o.padding.bottom,
                                             o.kernel_h, o.dilation.h, o.stride.h),
                               window_extent(o.input_shape.w, o.padding.left + o.padding.right,
                                             o.kernel_w, o.dilation.w, o.stride.w)};
        if (output.h <= 0 || output.w <= 0) continue;
        const int lane = pick(0, lanes_ - 1);
        o.output_addr = place_aligned(lane, output);
        o.input_addr = place_aligned(lane, o.input_shape);
        const int slots = isa::channels_per_lane(lane, o.input_shape.c, lanes_);
        o.weight_addr = place(lane, std::int64_t{slots} * o.kernel_h * o.kernel_w, 4);
        o.bias_addr = place(lane, slots, 4);
        if (fits()) return o;
    }
}

isa::Pool LayerCases::pool() {
    const isa::Depthwise window = [&] {
        while (true) {
            const isa::Depthwise candidate = depthwise();
            if (candidate.dilation == isa::Dim2{1, 1}) return candidate;
        }
    }();
    return {window.output_addr, window.input_addr, window.input_shape, window.kernel_h,
            window.kernel_w,    window.padding,    window.stride};
}

isa::PoolScaled LayerCases::scaled_pool() {
    constexpr float kScales[] = {0.25f,
                                 -1.0f / 3,
                                 0.0f,
                                 -0.0f,
                                 1e-39f,
                                 std::numeric_limits<float>::infinity(),
                                 std::numeric_limits<float>::quiet_NaN()};
    const isa::Pool window = pool();
    const float scale = kScales[pick(0, static_cast<int>(std::size(kScales)) - 1)];
    return {window.output_addr, window.input_addr, window.input_shape, isa::Bits32::from(scale),
            window.kernel_h,    window.kernel_w,   window.padding,     window.stride};
}

isa::MatrixMultiply LayerCases::matmul() {
    while (true) {
        restart();
        isa::MatrixMultiply o;
        o.left_rows = pick(1, chance(50) ? 8 : 70);
        o.left_cols = pick(1, chance(50) ? 8 : 90);
        o.right_cols = pick(1, chance(50) ? 8 : 200);
        o.left_cols_per_channel = pick(1, std::min(chance(50) ? 4 : 128, o.left_cols));
        o.right_cols_per_channel = pick(1, std::min(chance(50) ? 4 : 128, o.right_cols));
        o.using_bias = chance(50) ? 1 : 0;
        o.result_add = chance(30) ? 1 : 0;
        const int lane = pick(0, lanes_ - 1);
        const int lw = o.left_cols_per_channel;
        const int rw = o.right_cols_per_channel;
        o.output_addr = place_aligned(lane, isa::matrix_shape(o.left_rows, o.right_cols, rw));
        const int left_lane = chance(50) ? lane : pick(0, lanes_ - 1);
        o.left_addr = place_aligned(left_lane, isa::matrix_shape(o.left_rows, o.left_cols, lw));
        o.bias_addr = place_aligned(lane, isa::matrix_shape(1, o.right_cols, rw));
        o.right_addr = place_aligned(lane, isa::matrix_shape(o.left_cols, o.right_cols, rw));
        if (fits()) return o;
    }
}

std::string compare_on_copies(const models::LocalMemory& memory, const LayerFunction& actual,
                              const LayerFunction& expected) {
    models::LocalMemory got(small_machine(memory.lanes(), memory.bytes_per_lane()));
    models::LocalMemory want(small_machine(memory.lanes(), memory.bytes_per_lane()));
    const auto bytes = static_cast<std::size_t>(memory.storage_bytes());
    std::memcpy(got.storage(), memory.storage(), bytes);
    std::memcpy(want.storage(), memory.storage(), bytes);
    actual(got);
    expected(want);
    if (std::memcmp(got.storage(), want.storage(), bytes) == 0) return {};
    std::ostringstream text;
    std::int64_t wrong = 0;
    // The padding between lanes is compared, too: no command may write there.
    for (std::int64_t i = 0; i < memory.storage_bytes(); i += 4) {
        const std::uint32_t got_word = *got.words(0, i);
        const std::uint32_t want_word = *want.words(0, i);
        if (got_word == want_word) continue;
        if (wrong++ == 0) {
            text << "lane " << i / memory.lane_pitch() << " byte " << i % memory.lane_pitch()
                 << std::hex << ": got 0x" << got_word << ", expected 0x" << want_word << std::dec;
        }
    }
    text << "; " << wrong << " words differ";
    return text.str();
}

}  // namespace okksim::tests
