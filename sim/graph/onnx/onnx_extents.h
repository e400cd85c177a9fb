// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "sim/graph/compose/indexing.h"
#include "sim/graph/onnx/onnx_call.h"

namespace okksim::sim::graph::onnx {

// Dimensions and positions of operators that move elements.

/// Padding before and after each dimension (negative: cropped), and its mode.
struct Padding {
    Shape sides;
    std::string_view mode;
    Shape result;
};
Padding padding_of(const Call& call);
/// Returns the padding of CenterCropPad.
Padding centred_padding(const Call& call);

/// Returns the sizes of the results of Split along its axis.
std::vector<std::int64_t> split_sizes(const Call& call, std::size_t axis);
/// Returns how often Tile repeats each dimension.
Shape tile_repeats(const Call& call);

/// Returns the number of results of TopK, and the axis.
std::int64_t top_count(const Call& call, std::size_t& axis);

/// Returns the shape of the result of Gather, GatherElements or GatherND; checks the operands.
Shape gathered_shape(const Call& call);
/// Checks the operands of ScatterElements or ScatterND.
void check_scatter(const Call& call);
/// Returns known indices of such an operator; refuses those that are out of range.
compose::KnownIndices known_positions(const Call& call);
compose::ScatterReduction scatter_reduction(const Call& call);

}  // namespace okksim::sim::graph::onnx
