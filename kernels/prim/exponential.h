// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "kernels/prim/local_tensor.h"

namespace okksim::kernels::prim {

/// Two methods with the same bounds: fewer commands, or faster ones.
enum class PowerSteps : std::uint8_t {
    kSeries,      ///< 9 commands, one of them a series of seven terms
    kPolynomial,  ///< 18 commands
};

/// e^a for a <= 0, -inf and NaN; other numbers give undefined results. The error is within half of
/// the specification's 3 + 2|a| ulp (TOSA 1.0.1, 2.6.6) with the series, eight tenths with the
/// polynomial. dst is another plane than a.
inline constexpr int kPowerPlanes = 2;
void power_of_difference(const LocalTensor& dst, const LocalTensor& a, PowerSteps steps,
                         Scratch& scratch);

}  // namespace okksim::kernels::prim

/// Parts shared by the exponential functions; not for kernels.
namespace okksim::kernels::prim::exponential {

/// For |a| < 150: a = k ln 2 + r with |r| <= 0.35. Destroys a, leaves e^r - 1 in `fraction` and k
/// in `exponent`. 17 commands.
void reduce(const LocalTensor& fraction, const LocalTensor& exponent, const LocalTensor& a);

/// dst = 2^k for -126 <= k <= 127. 2 commands.
void power(const LocalTensor& dst, const LocalTensor& k);

}  // namespace okksim::kernels::prim::exponential
