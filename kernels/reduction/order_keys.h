// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/prim/float_ops.h"
#include "kernels/prim/local_tensor.h"

/// Converts numbers to words that fp32 or integer comparison orders in the same way.
namespace okksim::kernels {

/// All ones where x is NaN. 3 commands.
void nan_mask(const prim::LocalTensor& mask, const prim::LocalTensor& x);

/// Converts x to a number that fp32 comparison orders as ARGMAX requires: infinities become
/// +-2^100, NaN +-2^102 or more.
void bounded_key(const prim::LocalTensor& x, prim::NanMode mode, prim::Scratch& scratch);

/// Converts x to an int32 with the order of the number: exact, denormals included; zeros are equal.
void integer_key(const prim::LocalTensor& x, prim::NanMode mode, prim::Scratch& scratch);

}  // namespace okksim::kernels
