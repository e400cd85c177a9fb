// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "kernels/rows/row_program.h"

/// What both kinds of row groups ask of their members: whose tensors may have different numbers of
/// dimensions, since RESHAPE splits or joins the first ones. Pure.
namespace okksim::kernels::rows {

/// The members with results and operands (so many as `operands_of` the operator) under the
/// dimensions of the result that has the most.
Members under_one_rank(Members members, int (*operands_of)(tosa::OpCode));

/// The dimension that a member reduces, under those that under_one_rank() gave it.
std::optional<int> reduced_axis_of(const Follower& member, const Follower& spread);

/// Whether a RESHAPE that under_one_rank() gave its dimensions is another name for what the group
/// makes.
bool is_same_rows(const Follower& spread);

/// Whether some member is a product of matrices.
bool has_products(const Members& members);

/// Those of a product's factor or result, a batch of matrices.
RowStrides matrix_strides(const DeviceTensor& tensor);

/// The dimension of more than one element whose elements lie closest together.
int innermost(const DeviceTensor& tensor);

}  // namespace okksim::kernels::rows
