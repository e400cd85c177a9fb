// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/graph/tosa_features.h"
#include "sim/graph/validate/operator_check.h"
#include "sim/graph/validate/type_rows.h"

namespace okksim::sim::graph {

/// Returns the accumulator attribute of an operator, if it has one.
std::optional<DType> accumulator_type(const Operator& op);

/// Returns the row of the data-type table that matches operands and attributes, or nullptr.
const TypeRow* find_type_row(const OperatorCheck& check);

/// Checks an operator's operands against its argument table (number, ranks, constants) and its
/// table of data types. The row's profiles and extensions must be in `features`.
void check_arguments(const OperatorCheck& check, FeatureSet features);

/// Checks type, dimensions and size of a tensor (section 1.11.1).
void check_tensor(const Block& block, const Tensor& tensor);

}  // namespace okksim::sim::graph
