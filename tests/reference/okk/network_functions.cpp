// SPDX-License-Identifier: Apache-2.0
// Convolution, pooling, matrix multiplication; the order of every sum is part of the definition.
#include <algorithm>
#include <array>
#include <cstring>

#include "tests/reference/okk/functions.h"

namespace okksim::tests::reference {

namespace {

constexpr Word kLowest = 0xFF7FFFFF;  // -FLT_MAX

/// Windows sliding over a padded plane.
struct Windows {
    std::int64_t kernel_h = 1, kernel_w = 1;
    isa::Padding padding{0, 0, 0, 0};
    isa::Dim2 stride{1, 1};
    isa::Dim2 dilation{1, 1};

    std::int64_t output_h(const Extents& input) const {
        const std::int64_t span = (kernel_h - 1) * dilation.h + 1;
        return (input.h + padding.top + padding.bottom - span) / stride.h + 1;
    }
    std::int64_t output_w(const Extents& input) const {
        const std::int64_t span = (kernel_w - 1) * dilation.w + 1;
        return (input.w + padding.left + padding.right - span) / stride.w + 1;
    }

    /// Input element under tap (kh, kw) of output (oh, ow); std::nullopt in the padding.
    std::optional<Word> tap(const Tensor& input, const Extents& shape, std::int64_t n,
                            std::int64_t c, std::int64_t oh, std::int64_t ow, std::int64_t kh,
                            std::int64_t kw) const {
        const std::int64_t h = oh * stride.h + kh * dilation.h - padding.top;
        const std::int64_t w = ow * stride.w + kw * dilation.w - padding.left;
        if (h < 0 || h >= shape.h || w < 0 || w >= shape.w) return std::nullopt;
        return input.word(n, c, h, w);
    }
};

void conv2d(Call& call) {
    const std::int64_t output_address = call.integer();
    const std::int64_t input_address = call.integer();
    const std::int64_t weight_address = call.integer();
    const std::int64_t bias_address = call.integer();
    const Extents shape = call.shape();
    const std::int64_t output_c = call.integer();
    Windows windows;
    windows.kernel_h = call.integer();
    windows.kernel_w = call.integer();
    const auto input_stride = call.stride();
    const auto kernel_stride = call.stride();
    const bool using_bias = call.flag();
    const bool result_add = call.flag();
    windows.padding = call.padding();
    windows.stride = call.step();
    windows.dilation = call.step();

    const Extents output_shape{shape.n, output_c, windows.output_h(shape), windows.output_w(shape)};
    const std::int64_t pairs = ceiling(shape.c, 2);
    const Extents weight_shape{pairs, output_c, windows.kernel_h, windows.kernel_w};
    const std::int64_t weight_slots = Tensor::slots(call.image, weight_address, output_c);
    const Tensor output = Tensor::aligned(call.image, output_address, 4, output_shape);
    const Tensor input = call.words(input_address, shape, input_stride);
    const Tensor weight =
        Tensor::local(call.image, weight_address, 8,
                      kernel_stride ? *kernel_stride : compact_strides(weight_shape, weight_slots));
    const Tensor bias = Tensor::compact(call.image, bias_address, 4, {1, output_c, 1, 1});

    for_each_element(output_shape, [&](auto n, auto oc, auto oh, auto ow) {
        std::array<Word, 4> sums{};
        for (std::int64_t kh = 0; kh < windows.kernel_h; ++kh) {
            for (std::int64_t kw = 0; kw < windows.kernel_w; ++kw) {
                const std::int64_t tap_index = kh * windows.kernel_w + kw;
                for (std::int64_t ic = 0; ic < shape.c; ++ic) {
                    const Word x = windows.tap(input, shape, n, ic, oh, ow, kh, kw).value_or(0);
                    Word y = 0;
                    std::memcpy(&y, weight.at(ic / 2, oc, kh, kw) + (ic % 2) * 4, sizeof y);
                    Word& sum = sums[static_cast<std::size_t>((tap_index * 2 * pairs + ic) % 4)];
                    sum = multiply_add(x, y, sum);
                }
            }
        }
        Word result = add(add(sums[0], sums[2]), add(sums[1], sums[3]));
        if (using_bias) result = add(result, bias.word(0, oc, 0, 0));
        if (result_add) result = add(result, output.word(n, oc, oh, ow));
        output.set_word(n, oc, oh, ow, result);
    });
}

/// Depthwise sum of one output, with separate sums for even and odd taps.
template <typename Weight>
Word depthwise_sum(const Windows& windows, const Tensor& input, const Extents& shape,
                   const std::array<std::int64_t, 4>& at, Weight&& weight) {
    std::array<Word, 2> sums{};
    for (std::int64_t kh = 0; kh < windows.kernel_h; ++kh) {
        for (std::int64_t kw = 0; kw < windows.kernel_w; ++kw) {
            const Word x =
                windows.tap(input, shape, at[0], at[1], at[2], at[3], kh, kw).value_or(0);
            Word& sum = sums[static_cast<std::size_t>((kh * windows.kernel_w + kw) % 2)];
            sum = multiply_add(x, weight(kh, kw), sum);
        }
    }
    return add(sums[0], sums[1]);
}

void depthwise2d(Call& call) {
    const std::int64_t output_address = call.integer();
    const std::int64_t input_address = call.integer();
    const std::int64_t weight_address = call.integer();
    const std::int64_t bias_address = call.integer();
    const Extents shape = call.shape();
    Windows windows;
    windows.kernel_h = call.integer();
    windows.kernel_w = call.integer();
    const bool using_bias = call.flag();
    windows.padding = call.padding();
    windows.stride = call.step();
    windows.dilation = call.step();

    const Extents output_shape{shape.n, shape.c, windows.output_h(shape), windows.output_w(shape)};
    const Tensor output = Tensor::aligned(call.image, output_address, 4, output_shape);
    const Tensor input = Tensor::aligned(call.image, input_address, 4, shape);
    const Tensor weight = Tensor::compact(call.image, weight_address, 4,
                                          {1, shape.c, windows.kernel_h, windows.kernel_w});
    const Tensor bias = Tensor::compact(call.image, bias_address, 4, {1, shape.c, 1, 1});
    for_each_element(output_shape, [&](auto n, auto c, auto oh, auto ow) {
        Word sum = depthwise_sum(windows, input, shape, {n, c, oh, ow},
                                 [&](auto kh, auto kw) { return weight.word(0, c, kh, kw); });
        if (using_bias) sum = add(sum, bias.word(0, c, 0, 0));
        output.set_word(n, c, oh, ow, sum);
    });
}

enum class PoolKind { kAverage, kScaled, kMaximum };

void pool(Call& call, PoolKind kind) {
    const std::int64_t output_address = call.integer();
    const std::int64_t input_address = call.integer();
    const Extents shape = call.shape();
    Word scale = kind == PoolKind::kScaled ? call.bits() : 0;
    Windows windows;
    windows.kernel_h = call.integer();
    windows.kernel_w = call.integer();
    windows.padding = call.padding();
    windows.stride = call.step();
    if (kind == PoolKind::kAverage) {
        scale = from_float(1.0F / static_cast<float>(windows.kernel_h * windows.kernel_w));
    }

    const Extents output_shape{shape.n, shape.c, windows.output_h(shape), windows.output_w(shape)};
    const Tensor output = Tensor::aligned(call.image, output_address, 4, output_shape);
    const Tensor input = Tensor::aligned(call.image, input_address, 4, shape);
    for_each_element(output_shape, [&](auto n, auto c, auto oh, auto ow) {
        Word result = kLowest;
        if (kind == PoolKind::kMaximum) {
            for (std::int64_t kh = 0; kh < windows.kernel_h; ++kh) {
                for (std::int64_t kw = 0; kw < windows.kernel_w; ++kw) {
                    const auto x = windows.tap(input, shape, n, c, oh, ow, kh, kw);
                    if (x && greater(*x, result)) result = flush(*x);
                }
            }
        } else {
            result = depthwise_sum(windows, input, shape, {n, c, oh, ow},
                                   [&](auto, auto) { return scale; });
        }
        output.set_word(n, c, oh, ow, result);
    });
}

void matmul(Call& call) {
    const std::int64_t output_address = call.integer();
    const std::int64_t left_address = call.integer();
    const std::int64_t right_address = call.integer();
    const std::int64_t bias_address = call.integer();
    const std::int64_t rows = call.integer();
    const std::int64_t inner = call.integer();
    const std::int64_t cols = call.integer();
    const std::int64_t left_width = std::min(call.integer(), inner);
    const std::int64_t right_width = call.integer();
    const bool using_bias = call.flag();
    const bool result_add = call.flag();
    // The last channel is computed as a whole (SEMANTICS.md 7).
    const std::int64_t columns = ceiling(cols, right_width) * right_width;

    const Matrix output = Matrix::aligned(call.image, output_address, rows, columns, right_width);
    const Matrix left = Matrix::aligned(call.image, left_address, rows, inner, left_width);
    const Matrix right = Matrix::aligned(call.image, right_address, inner, columns, right_width);
    const Matrix bias = Matrix::aligned(call.image, bias_address, 1, columns, right_width);
    for (std::int64_t row = 0; row < rows; ++row) {
        for (std::int64_t col = 0; col < columns; ++col) {
            std::array<Word, 2> sums{};
            for (std::int64_t k = 0; k < inner; ++k) {
                Word& sum = sums[static_cast<std::size_t>(k % 2)];
                sum = multiply_add(left.word(row, k), right.word(k, col), sum);
            }
            Word result = add(sums[0], sums[1]);
            if (using_bias) result = add(result, bias.word(0, col));
            if (result_add) result = add(result, output.word(row, col));
            output.set_word(row, col, result);
        }
    }
}

}  // namespace

void add_network_functions(FunctionTable& table) {
    table["okk_bdc_conv2d"] = conv2d;
    table["okk_bdc_depthwise2d"] = depthwise2d;
    table["okk_bdc_avg_pool2d"] = [](Call& c) { pool(c, PoolKind::kAverage); };
    table["okk_bdc_avg_pool2d_v2"] = [](Call& c) { pool(c, PoolKind::kScaled); };
    table["okk_bdc_max_pool2d"] = [](Call& c) { pool(c, PoolKind::kMaximum); };
    table["okk_bdc_matmul"] = matmul;
}

}  // namespace okksim::tests::reference
