// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "sim/graph/xmodel/xmodel_node.h"
#include "sim/graph/xmodel/xmodel_value.h"

namespace okksim::sim::graph::xmodel {

/// One direction of a sliding window, as TOSA wants it: what no window reads is cut off, what
/// windows read beyond the padding is padding.
struct WindowAxis {
    std::int64_t input = 0;
    std::int64_t kernel = 0;
    std::int64_t stride = 1;
    std::int64_t dilation = 1;
    std::int64_t before = 0;  ///< padding that the file asks for
    std::int64_t after = 0;
    std::int64_t output = 0;

    std::int64_t reach() const { return (kernel - 1) * dilation + 1; }
    /// Where the last window ends, from the first element of the padding.
    std::int64_t span() const { return (output - 1) * stride + reach(); }
    /// Elements of the input that windows reach.
    std::int64_t used() const { return std::min(input, span() - before); }
    /// Padding behind them.
    std::int64_t used_after() const { return span() - before - used(); }
    /// Taps of window `i` that lie in [0, limit) of the input.
    std::int64_t taps(std::int64_t i, std::int64_t first, std::int64_t limit) const;
};

/// Windows of an operator over maps of N, H, W, C.
struct Windows {
    WindowAxis y, x;
};

/// Reads kernel, stride, padding, dilation and the modes of a convolution or pool in either
/// spelling. `kernel` is that of the weights, or empty where the operator's attribute says it.
Windows read_windows(const NodeView& node, Vocabulary vocabulary, const Shape& maps,
                     const std::array<std::int64_t, 2>* kernel);

/// A pair of attribute values as [y, x], whatever the spelling.
std::array<std::int64_t, 2> read_pair(const NodeView& node, Vocabulary vocabulary,
                                      std::string_view oplib_key, std::string_view xir_key,
                                      std::array<std::int64_t, 2> otherwise);
/// [y, x] as TOSA's attributes hold it.
inline std::array<std::int32_t, 2> attribute_pair(std::int64_t y, std::int64_t x) {
    return {static_cast<std::int32_t>(y), static_cast<std::int32_t>(x)};
}
/// Padding as [top, bottom, left, right].
std::array<std::int64_t, 4> read_padding(const NodeView& node, Vocabulary vocabulary);
/// "PADDING", "SAME" or "VALID"; checks the word for the rounding of sizes as well.
std::string read_pad_mode(const NodeView& node, Vocabulary vocabulary);

}  // namespace okksim::sim::graph::xmodel
