// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sim/graph/operator_builder.h"

namespace okksim::sim::graph::compose {

/// Adds `size` to negative run-time indices.
TensorIndex wrapped_indices(OperatorBuilder& ops, TensorIndex indices, std::int64_t size);
/// Returns flat positions in `shape`, [count], of run-time indices along an axis.
TensorIndex element_list(OperatorBuilder& ops, TensorIndex indices, const Shape& shape,
                         std::size_t axis);
/// Returns flat positions in `shape`, [count], of the last dimension of run-time indices, which
/// holds one position for each dimension.
TensorIndex row_list(OperatorBuilder& ops, TensorIndex indices, const Shape& shape);
/// Returns flat positions for known indices of this form.
std::vector<std::int64_t> row_positions(const std::vector<std::int64_t>& indices,
                                        const Shape& shape);

}  // namespace okksim::sim::graph::compose
