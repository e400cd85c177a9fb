// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "kernels/call/tensor.h"

/// Which operators one kernel can carry out together, so that what lies between them is never
/// stored. Pure; types and shapes decide.
namespace okksim::kernels {

/// Operands that an element-wise operator works on element by element; the others are constants.
int leading_operands(tosa::OpCode op);

/// Whether float_body() has a body for the operator on floating-point operands.
bool has_float_body(tosa::OpCode op);

/// Whether `next` can be the next follower of `lead`, whose output is that of the operator itself;
/// `before` are the followers so far. Results are those of single operators bit for bit, but for
/// the sign of zeros of fp16 and bf16, and for sums of floating-point products, which other tiles
/// add in another order.
///
/// - fp32 convolutions and element-wise operators: element-wise operators on values of the group
///   and on up to three stored tensors, all of the same shape;
/// - fp16 and bf16: CLAMP;
/// - convolutions with int32 sums: RESCALE with 32-bit multipliers, then CLAMP. The planner sees to
///   it that RESCALE takes every int32 (all shifts at least kEveryInt32Shift).
bool can_follow(const OperatorCall& lead, std::span<const Follower> before, const Follower& next);

/// RESCALE's shifts from which on apply_scale_32 takes every int32 (TOSA 1.0.1, 4.5.5).
inline constexpr int kEveryInt32Shift = 32;

}  // namespace okksim::kernels
