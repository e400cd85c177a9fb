// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/graph/graph.h"

namespace okksim::reference::oplib {

/// Numbers in N, C, H, W. A long double holds every integer of 64 bits.
struct Array {
    sim::graph::Shape shape;
    std::vector<long double> values;

    explicit Array(sim::graph::Shape of = {}, long double fill = 0);
    long double& at(std::int64_t n, std::int64_t c, std::int64_t y, std::int64_t x);
    long double at(std::int64_t n, std::int64_t c, std::int64_t y, std::int64_t x) const;
    std::int64_t size(std::size_t axis) const { return shape[axis]; }
};

/// Attributes of sliding windows as the specification names them.
struct Window {
    std::array<std::int64_t, 2> kernel{1, 1}, strides{1, 1}, dilation{1, 1};
    std::array<std::int64_t, 4> padding{};
    std::string pad_mode = "PADDING", ceil_mode = "FLOOR";

    struct Axis {
        std::int64_t before = 0, after = 0, output = 0;
    };
    /// Direction 0 (height) or 1 (width); an output below 1 means that the kernel does not fit.
    Axis axis(std::size_t direction, std::int64_t input) const;
};

Array convolution(const Array& x, const Array& kernel, const Array* bias, const Window& window,
                  std::int64_t group);
/// Kernel [M,C,kh,kw].
Array depthwise(const Array& x, const Array& kernel, const Array* bias, const Window& window);
/// Spreads every input element over the result, then removes the padding.
Array transposed(const Array& x, const Array& kernel, const Array* bias, const Window& window);
Array inner_product(const Array& x, const Array& weights, const Array* bias);

Array max_pool(const Array& x, const Window& window);
/// Returns sums of windows, and their divisors in `counts`.
Array window_sums(const Array& x, const Window& window, bool with_pad, bool with_beyond,
                  Array& counts);
/// Sums over axes, which stay with size 1.
Array axis_sums(const Array& x, const std::vector<bool>& axes);

enum class Border { kConstant, kReflect, kSymmetric };
Array pad(const Array& x, const sim::graph::Shape& amounts, Border border,
          const std::vector<long double>& constants);
Array concat(const std::vector<Array>& parts, std::size_t axis);
Array tile(const Array& x, const sim::graph::Shape& multiples);
Array reorg(const Array& x, std::int64_t s, bool is_reverse);
/// `factors` of height and width. BILINEAR results are at the centres of the pixels that they
/// represent; other results take the element at [y s, x s].
Array upsample(const Array& x, std::array<std::int64_t, 2> factors, bool is_bilinear);
Array downsample(const Array& x, std::array<std::int64_t, 2> factors, bool is_bilinear);

/// Nearest whole number: "DPU_ROUND" floor(x + 1/2), "STD_ROUND" halves away from zero,
/// "PY3_ROUND" halves to even.
long double rounded(long double value, const std::string& mode);

}  // namespace okksim::reference::oplib
