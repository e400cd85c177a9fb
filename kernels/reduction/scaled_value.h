// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/prim/local_tensor.h"

/// Numbers of any magnitude in two planes: an fp32 mantissa, and a binary exponent as an fp32
/// integer.
namespace okksim::kernels {

/// Moves the exponent of the mantissa (any fp32) into `exponent`, or adds it. Leaves 1 <=
/// |mantissa| < 2, zero, infinity or NaN.
void normalise(const prim::LocalTensor& mantissa, const prim::LocalTensor& exponent, bool add,
               prim::Scratch& scratch);

/// mantissa *= 2^exponent. The exponent is clamped to +-300, beyond which the result is zero or
/// infinite.
void apply_exponent(const prim::LocalTensor& mantissa, const prim::LocalTensor& exponent,
                    prim::Scratch& scratch);

}  // namespace okksim::kernels
