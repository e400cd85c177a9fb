// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "kernels/rows/row_program.h"

/// Ranks of the members of row groups. Their tensors may have different numbers of dimensions,
/// since RESHAPE splits or joins the first ones. Pure.
namespace okksim::kernels::rows {

/// Returns the members with results and operands under the dimensions of the result that has the
/// most. `operands_of`: number of operands of an operator.
Members under_one_rank(Members members, int (*operands_of)(tosa::OpCode));

/// True if a member reduces its first dimension, which is several of those of under_one_rank().
bool reduces_several(const Follower& member, const Follower& spread);

/// The dimension that a member reduces, among those of under_one_rank().
std::optional<int> reduced_axis_of(const Follower& member, const Follower& spread);

/// True if a RESHAPE with dimensions of under_one_rank() is a view of the group's rows.
bool is_same_rows(const Follower& spread);

/// True if some member is a product of matrices.
bool has_products(const Members& members);

/// Strides of a product's factor or result, which is a batch of matrices.
RowStrides matrix_strides(const DeviceTensor& tensor);

/// The dimension with the smallest stride among those with more than one element.
int innermost(const DeviceTensor& tensor);

}  // namespace okksim::kernels::rows
