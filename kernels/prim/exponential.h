// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "kernels/prim/local_tensor.h"

/// Parts that the exponential functions share; not for kernels.
namespace okksim::kernels::prim::exponential {

/// value = c[0] x^n + ... + c[n] by Horner; value and x are different planes. 2n commands.
void polynomial(const LocalTensor& value, const LocalTensor& x,
                std::span<const float> coefficients);

/// For |a| < 150: a = k ln 2 + r with |r| <= 0.35. Destroys a, leaves e^r - 1 in `fraction` and k
/// in `exponent`. 17 commands.
void reduce(const LocalTensor& fraction, const LocalTensor& exponent, const LocalTensor& a);

/// dst = 2^k for -126 <= k <= 127. 2 commands.
void power(const LocalTensor& dst, const LocalTensor& k);

}  // namespace okksim::kernels::prim::exponential
