// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/prim/local_tensor.h"

/// fp32 functions to the specification's accuracy over their whole range, special values included.
/// Denormal operands count as zero, denormal results are flushed. Rules for operands as in
/// integer.h. The estimates of the machine's special-function unit are refined; nothing depends on
/// the host's mathematical library. Errors are measured against quadruple precision in the tests.
namespace okksim::kernels::prim {

/// 1 / a, within 0.51 ulp. 21 commands. 1/+-0 = +-inf, 1/+-inf = +-0.
inline constexpr int kReciprocalPlanes = 6;
void reciprocal_float(const LocalTensor& dst, const LocalTensor& a, Scratch& scratch);
/// 1 / sqrt(a), within 1.6 ulp. 26 commands. +-0 gives +-inf, numbers below zero NaN, +inf 0.
inline constexpr int kRsqrtPlanes = 6;
void rsqrt_float(const LocalTensor& dst, const LocalTensor& a, Scratch& scratch);

/// e^a, within eight tenths of the specification's 3 + 2|a| ulp. 21 commands.
inline constexpr int kExpPlanes = 3;
void exp_float(const LocalTensor& dst, const LocalTensor& a, Scratch& scratch);
/// ln a, within 1.5 ulp. 46 commands. +-0 gives -inf, numbers below zero NaN.
inline constexpr int kLogPlanes = 6;
void log_float(const LocalTensor& dst, const LocalTensor& a, Scratch& scratch);
/// a^b as e^(b ln a) (TOSA 1.0.1, 2.5.15): for finite a > 0, and a = 0 with b > 0. 68 commands.
inline constexpr int kPowPlanes = 7;
void pow_float(const LocalTensor& dst, const LocalTensor& a, const LocalTensor& b,
               Scratch& scratch);

/// Sine and cosine of radians: absolute error below 1e-7 for |a| <= 2^15. Beyond that the
/// specification allows any error up to 2, and the result is that of the nearest bound. NaN for
/// +-inf. 36 and 35 commands.
inline constexpr int kTrigonometryPlanes = 6;
void sin_float(const LocalTensor& dst, const LocalTensor& a, Scratch& scratch);
void cos_float(const LocalTensor& dst, const LocalTensor& a, Scratch& scratch);

/// tanh a, within 4 ulp. 37 commands.
inline constexpr int kTanhPlanes = 5;
void tanh_float(const LocalTensor& dst, const LocalTensor& a, Scratch& scratch);
/// 1 / (1 + e^-a), within nine tenths of the specification's 2 (1 + |a|) ulp. 25 commands.
inline constexpr int kSigmoidPlanes = 3;
void sigmoid_float(const LocalTensor& dst, const LocalTensor& a, Scratch& scratch);
/// erf a, within 3 ulp. 54 commands.
inline constexpr int kErfPlanes = 8;
void erf_float(const LocalTensor& dst, const LocalTensor& a, Scratch& scratch);

}  // namespace okksim::kernels::prim
