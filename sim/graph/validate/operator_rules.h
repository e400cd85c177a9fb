// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/graph/validate/operator_check.h"

namespace okksim::sim::graph {

// The rules of the operators, by chapter of the specification. Each function takes an operator of
// its chapter whose arguments have been checked.

void check_tensor_operator(const OperatorCheck& check);  ///< 2.3 without convolutions
void check_convolution(const OperatorCheck& check);      ///< 2.3.3 to 2.3.5 and 2.3.10
void check_elementwise(const OperatorCheck& check);      ///< 2.4 to 2.8
void check_reduction(const OperatorCheck& check);        ///< 2.9
void check_data_layout(const OperatorCheck& check);      ///< 2.10
void check_scatter_gather(const OperatorCheck& check);   ///< 2.11
void check_resize(const OperatorCheck& check);           ///< 2.12
void check_type_conversion(const OperatorCheck& check);  ///< 2.13
void check_data_node(const OperatorCheck& check);        ///< 2.14, 2.18
void check_control_flow(const OperatorCheck& check);     ///< 2.16
void check_variable_access(const OperatorCheck& check);  ///< 2.17

/// Calls the function in the operator's row (kernels/tosa/operators.def, column `rules`).
void check_operator_rules(const OperatorCheck& check);

/// Checks the ERROR_IF rule of a zero point. `value` is as stored (bits for floating point).
/// is_zero_point must be true for `input_index`.
void check_zero_point(const OperatorCheck& check, std::size_t input_index, std::int64_t value);
/// True if the input is a zero point (input_zp, weight_zp, A_zp, ...).
bool is_zero_point(OpCode op, std::size_t input_index);
/// Calls check_zero_point for each constant zero point.
void check_constant_zero_points(const OperatorCheck& check);

}  // namespace okksim::sim::graph
