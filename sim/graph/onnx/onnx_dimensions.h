// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "sim/graph/onnx/onnx_call.h"

namespace okksim::sim::graph::onnx {

// Shapes of results that follow from shapes, attributes and known operands.

/// Returns the result's shape of Reshape, Squeeze, Unsqueeze or Flatten.
Shape viewed_shape(const Call& call);

/// Returns the permutation of Transpose.
std::vector<std::size_t> transpose_order(const Call& call);

/// One dimension of Slice: elements start, start + step, ... (count of them).
struct SlicedDimension {
    std::int64_t start = 0;
    std::int64_t step = 1;
    std::int64_t count = 0;
};
/// Returns the dimensions of Slice.
std::vector<SlicedDimension> sliced_dimensions(const Call& call);

/// Returns the shape of Concat; a fault if the other dimensions differ. Sets the axis.
Shape concat_shape(const Call& call, std::size_t& axis);

/// Returns the shape that Expand gives.
Shape expanded_shape(const Call& call);

/// Returns the numbers of a list attribute that became operand `n` in a later operator set.
std::optional<std::vector<std::int64_t>> list_operand(const Call& call, std::string_view attribute,
                                                      std::size_t n);

}  // namespace okksim::sim::graph::onnx
