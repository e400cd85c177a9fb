// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "sim/graph/xmodel/xmodel_node.h"
#include "sim/graph/xmodel/xmodel_value.h"

namespace okksim::sim::graph::xmodel {

/// One direction of a sliding window in TOSA's form. Unread input is cut off; window positions
/// beyond the declared padding become additional padding.
struct WindowAxis {
    std::int64_t input = 0;
    std::int64_t kernel = 0;
    std::int64_t stride = 1;
    std::int64_t dilation = 1;
    std::int64_t before = 0;  ///< padding that the file declares
    std::int64_t after = 0;
    std::int64_t output = 0;

    std::int64_t reach() const { return (kernel - 1) * dilation + 1; }
    /// Returns the end of the last window, counted from the first element of the padding.
    std::int64_t span() const { return (output - 1) * stride + reach(); }
    /// Returns the number of input elements that windows reach.
    std::int64_t used() const { return std::min(input, span() - before); }
    /// Returns the padding after these elements.
    std::int64_t used_after() const { return span() - before - used(); }
    /// Returns the number of taps of window `i` in [first, limit) of the input.
    std::int64_t taps(std::int64_t i, std::int64_t first, std::int64_t limit) const;
};

/// Windows of an operator over feature maps of N, H, W, C.
struct Windows {
    WindowAxis y, x;
};

/// Reads kernel, stride, padding, dilation and the modes of a convolution or pool in either
/// vocabulary. `kernel` is the size of the weights, or nullptr if an attribute specifies it.
Windows read_windows(const NodeView& node, Vocabulary vocabulary, const Shape& maps,
                     const std::array<std::int64_t, 2>* kernel);

/// Reads a pair of attribute values as [y, x] in either vocabulary.
std::array<std::int64_t, 2> read_pair(const NodeView& node, Vocabulary vocabulary,
                                      std::string_view oplib_key, std::string_view xir_key,
                                      std::array<std::int64_t, 2> otherwise);
/// Converts [y, x] to the type of TOSA's attributes.
inline std::array<std::int32_t, 2> attribute_pair(std::int64_t y, std::int64_t x) {
    return {static_cast<std::int32_t>(y), static_cast<std::int32_t>(x)};
}
/// Reads padding as [top, bottom, left, right].
std::array<std::int64_t, 4> read_padding(const NodeView& node, Vocabulary vocabulary);
/// Reads "PADDING", "SAME" or "VALID"; also checks the word for the rounding of sizes.
std::string read_pad_mode(const NodeView& node, Vocabulary vocabulary);

}  // namespace okksim::sim::graph::xmodel
