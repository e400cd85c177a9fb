// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "kernels/rows/row_program.h"

/// Members of a row group whose tensors have different numbers of dimensions, since RESHAPE splits
/// or joins the first ones. Pure.
namespace okksim::kernels::rows {

/// The members with results and operands (so many as `operands_of` the operator) under the
/// dimensions of the result that has the most.
Members under_one_rank(Members members, int (*operands_of)(tosa::OpCode));

/// The dimension that a member reduces, under those that under_one_rank() gave it.
std::optional<int> reduced_axis_of(const Follower& member, const Follower& spread);

/// Whether a RESHAPE that under_one_rank() gave its dimensions is another name for what the group
/// makes.
bool is_same_rows(const Follower& spread);

}  // namespace okksim::kernels::rows
