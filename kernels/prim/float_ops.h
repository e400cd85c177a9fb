// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "kernels/prim/local_tensor.h"

/// fp32 comparisons, extrema and rounding with the specification's rules for NaN, infinity and
/// signed zero. Denormals count as zero. Rules for operands as in integer.h.
namespace okksim::kernels::prim {

enum class NanMode : std::uint8_t { kPropagate, kIgnore };  ///< TOSA 1.0.1, 3.4

/// dst = a > b ? bits : 0. One command: raw::select_greater.
/// dst = a >= b ? bits : 0; false for NaN.
inline constexpr int kFloatComparePlanes = 3, kFloatGreaterEqualCommands = 8;
void greater_equal_float(const LocalTensor& dst, const LocalTensor& a, const LocalTensor& b,
                         std::uint32_t bits, Scratch& scratch);
/// dst = a == b ? bits : 0; zeros of both signs are equal, NaN equals nothing.
inline constexpr int kFloatEqualCommands = 6;
void equal_float(const LocalTensor& dst, const LocalTensor& a, const LocalTensor& b,
                 std::uint32_t bits, Scratch& scratch);
/// dst = a is not NaN ? bits : 0. 2 commands, dst is the only plane used; dst may be a.
void is_not_nan(const LocalTensor& dst, const LocalTensor& a, std::uint32_t bits);

/// TOSA MAXIMUM / MINIMUM. 5 commands (propagate) or 6 (ignore); the minimum takes one more.
inline constexpr int kFloatMinMaxPlanes = 3;
void maximum_float(const LocalTensor& dst, const LocalTensor& a, const LocalTensor& b, NanMode mode,
                   Scratch& scratch);
void minimum_float(const LocalTensor& dst, const LocalTensor& a, const LocalTensor& b, NanMode mode,
                   Scratch& scratch);
/// TOSA CLAMP. 4 commands (propagate) or 2 (ignore: NaN gives low).
inline constexpr int kClampPlanes = 1;
void clamp_float(const LocalTensor& dst, const LocalTensor& a, float low, float high, NanMode mode,
                 Scratch& scratch);
/// -a: changes the sign bit. One command.
void negate_float(const LocalTensor& dst, const LocalTensor& a);
/// Sets the sign bits of `hits` if a < low or a > high. 4 commands, one plane.
void find_outside(const LocalTensor& hits, const LocalTensor& a, float low, float high,
                  Scratch& scratch);

/// Rounding to an integer, exact for every input; the sign of zero is kept, infinity stays, NaN
/// stays NaN. 6 commands (even) or 9.
inline constexpr int kRoundPlanes = 3;
void round_even(const LocalTensor& dst, const LocalTensor& a, Scratch& scratch);
void round_down(const LocalTensor& dst, const LocalTensor& a, Scratch& scratch);
void round_up(const LocalTensor& dst, const LocalTensor& a, Scratch& scratch);

}  // namespace okksim::kernels::prim
