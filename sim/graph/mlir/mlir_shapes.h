// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>

#include "sim/graph/mlir/mlir_operation.h"

namespace okksim::sim::graph {

/// `wanted` with the size that is left in the place of its only -1, for a tensor of the shape
/// `input`; nothing when there is no such size.
std::optional<Shape> filled_shape(const Shape& input, Shape wanted);

/// The shape of the one result of an operation whose type has no rank, where operands and
/// attributes say it in a line; nothing for other operations. Validation finds out whether the
/// operands fit.
std::optional<Shape> implied_shape(const MlirOperation& op, OpCode code,
                                   std::span<const Tensor* const> operands);

}  // namespace okksim::sim::graph
