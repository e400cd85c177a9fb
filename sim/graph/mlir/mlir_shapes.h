// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>

#include "sim/graph/mlir/mlir_operation.h"

namespace okksim::sim::graph {

/// `wanted` with the size that is left in the place of its only -1, for a tensor of the shape
/// `input`; nothing when there is no such size.
std::optional<Shape> filled_shape(const Shape& input, Shape wanted);

/// The shape of each result of an operation, where operands and attributes say it; nothing where
/// they do not or are wrong. Validation finds out whether the operands fit.
std::optional<Shape> implied_shape(const MlirOperation& op, OpCode code,
                                   std::span<const Tensor* const> operands);

/// The same for operators whose sizes are computed: windows, padding, slices, scales. There is an
/// operand.
std::optional<Shape> computed_shape(const MlirOperation& op, OpCode code,
                                    std::span<const Tensor* const> operands);

}  // namespace okksim::sim::graph
