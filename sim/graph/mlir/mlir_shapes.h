// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>

#include "sim/graph/mlir/mlir_operation.h"

namespace okksim::sim::graph {

/// Replaces the only -1 in `wanted` by the remaining size, for a tensor of shape `input`. Returns
/// nothing if no size fits.
std::optional<Shape> filled_shape(const Shape& input, Shape wanted);

/// Returns the shape of each result if operands and attributes determine it. Returns nothing if
/// they do not or are wrong. Validation checks the operands.
std::optional<Shape> implied_shape(const MlirOperation& op, OpCode code,
                                   std::span<const Tensor* const> operands);

/// Returns the shape for operators with computed sizes: windows, padding, slices, scales. The
/// operation has at least one operand.
std::optional<Shape> computed_shape(const MlirOperation& op, OpCode code,
                                    std::span<const Tensor* const> operands);

}  // namespace okksim::sim::graph
