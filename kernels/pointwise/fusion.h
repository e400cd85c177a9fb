// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "kernels/call/tensor.h"

/// Operators that one kernel can run together, so that values between them are never stored. Pure;
/// types and shapes decide.
namespace okksim::kernels {

/// Number of operands that an element-wise operator reads by element; the others are constants.
int leading_operands(tosa::OpCode op);

/// True if float_body() has a body for the operator on floating-point operands.
bool has_float_body(tosa::OpCode op);

/// True if `next` can be the next follower of `lead`, whose output is that of the operator alone.
/// `before` are the followers so far. Results equal those of separate operators bit for bit, with
/// two exceptions. The sign of zeros of fp16 and bf16 may differ. Sums of floating-point products
/// are added in another order, because tiles differ.
///
/// - fp32 convolutions and element-wise operators: element-wise operators on values of the group
///   and on up to three stored tensors. All tensors have the same shape;
/// - fp16 and bf16: CLAMP;
/// - convolutions with int32 sums: RESCALE with 32-bit multipliers, then CLAMP. The planner ensures
///   that RESCALE accepts every int32 (all shifts at least kEveryInt32Shift).
bool can_follow(const OperatorCall& lead, std::span<const Follower> before, const Follower& next);

/// Least shift of RESCALE for which apply_scale_32 accepts every int32 (TOSA 1.0.1, 4.5.5).
inline constexpr int kEveryInt32Shift = 32;

}  // namespace okksim::kernels
