// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/prim/local_tensor.h"

/// Numbers of any magnitude in two planes: an fp32 mantissa, and an exponent of 2 as an fp32
/// integer.
namespace okksim::kernels {

/// Moves the exponent of the mantissa (any fp32) into `exponent`, or adds it to that: leaves 1 <=
/// |mantissa| < 2, zero, infinity or NaN.
void normalise(const prim::LocalTensor& mantissa, const prim::LocalTensor& exponent, bool add,
               prim::Scratch& scratch);

/// mantissa *= 2^exponent, where the exponent is clamped to +-300: beyond that the result is zero
/// or infinite anyway.
void apply_exponent(const prim::LocalTensor& mantissa, const prim::LocalTensor& exponent,
                    prim::Scratch& scratch);

}  // namespace okksim::kernels
