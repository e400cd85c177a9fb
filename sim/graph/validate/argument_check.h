// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/graph/tosa_features.h"
#include "sim/graph/validate/operator_check.h"
#include "sim/graph/validate/type_rows.h"

namespace okksim::sim::graph {

/// The accumulator attribute of an operator that has one.
std::optional<DType> accumulator_type(const Operator& op);

/// The row of the operator's data-type table that its operands and attributes match, or nothing.
const TypeRow* find_type_row(const OperatorCheck& check);

/// Checks an operator's operands against its argument table (number, ranks, constants) and against
/// its table of data types, and that the row's profiles and extensions are in `features`.
void check_arguments(const OperatorCheck& check, FeatureSet features);

/// Checks one tensor by itself: type, dimensions, size (section 1.11.1).
void check_tensor(const Block& block, const Tensor& tensor);

}  // namespace okksim::sim::graph
