// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "kernels/prim/local_tensor.h"

/// Exact int32 arithmetic on words. dst and the scratch planes are in the aligned layout. Sources
/// may have strides (0 broadcasts). dst may be a source. k...Planes: scratch planes of dst's shape
/// that the function needs. k...Commands: BDC commands that it issues.
namespace okksim::kernels::prim {

// Sums wrap modulo 2^32.
inline constexpr int kAddPlanes = 2, kAddCommands = 10;
void add_int32(const LocalTensor& dst, const LocalTensor& a, const LocalTensor& b,
               Scratch& scratch);
void add_int32(const LocalTensor& dst, const LocalTensor& a, std::int32_t b, Scratch& scratch);
inline constexpr int kSubtractPlanes = 3, kSubtractCommands = 11;
void subtract_int32(const LocalTensor& dst, const LocalTensor& a, const LocalTensor& b,
                    Scratch& scratch);
inline constexpr int kNegatePlanes = 3, kNegateCommands = 9;
void negate_int32(const LocalTensor& dst, const LocalTensor& a, Scratch& scratch);
/// a|; the smallest int32 is unchanged.
inline constexpr int kAbsolutePlanes = 5, kAbsoluteCommands = 13;
void absolute_int32(const LocalTensor& dst, const LocalTensor& a, Scratch& scratch);

/// dst = a > b ? bits : 0.
inline constexpr int kCompareInt32Planes = 2, kCompareInt32Commands = 8;
void greater_int32(const LocalTensor& dst, const LocalTensor& a, const LocalTensor& b,
                   std::uint32_t bits, Scratch& scratch);
/// dst = a >= b ? bits : 0.
void greater_equal_int32(const LocalTensor& dst, const LocalTensor& a, const LocalTensor& b,
                         std::uint32_t bits, Scratch& scratch);
/// dst = a == b ? bits : 0. One command, no scratch; floats compare by bits.
void equal_bits(const LocalTensor& dst, const LocalTensor& a, const LocalTensor& b,
                std::uint32_t bits);

inline constexpr int kMinMaxInt32Planes = 4, kMinMaxInt32Commands = 11;
void maximum_int32(const LocalTensor& dst, const LocalTensor& a, const LocalTensor& b,
                   Scratch& scratch);
void minimum_int32(const LocalTensor& dst, const LocalTensor& a, const LocalTensor& b,
                   Scratch& scratch);

/// dst = mask ? a : b for masks of all ones or all zeros; any 32-bit type.
inline constexpr int kBlendPlanes = 1, kBlendCommands = 3;
void blend(const LocalTensor& dst, const LocalTensor& mask, const LocalTensor& a,
           const LocalTensor& b, Scratch& scratch);
/// dst = condition != 0 ? a : b; any 32-bit type.
inline constexpr int kSelectPlanes = 2, kSelectCommands = 4;
void select(const LocalTensor& dst, const LocalTensor& condition, const LocalTensor& a,
            const LocalTensor& b, Scratch& scratch);

// Bool words (0 or 1): and, or, xor are raw::bit_and, raw::bit_or, raw::bit_xor.
/// dst = a != 0 ? 1 : 0. Two commands.
void is_not_zero(const LocalTensor& dst, const LocalTensor& a);
/// dst = NOT a, bit by bit. One command.
void bitwise_not(const LocalTensor& dst, const LocalTensor& a);

// Shifts by a tensor of amounts in 0..31.
/// dst = a << amount. One command.
void shift_left_int32(const LocalTensor& dst, const LocalTensor& a, const LocalTensor& amount);
/// dst = a >> amount with zeros moving in.
inline constexpr int kShiftRightPlanes = 1, kShiftRightCommands = 4;
void shift_right_logical_int32(const LocalTensor& dst, const LocalTensor& a,
                               const LocalTensor& amount, Scratch& scratch);
/// dst = a >> amount (floor), plus the last bit shifted out when `round` (TOSA 1.0.1, 2.5.2).
inline constexpr int kShiftRightArithmeticPlanes = 5, kShiftRightArithmeticCommands = 19;
void shift_right_arithmetic_int32(const LocalTensor& dst, const LocalTensor& a,
                                  const LocalTensor& amount, bool round, Scratch& scratch);

/// Low 32 bits of the product.
inline constexpr int kMultiplyPlanes = 10, kMultiplyCommands = 42;
void multiply_int32(const LocalTensor& dst, const LocalTensor& a, const LocalTensor& b,
                    Scratch& scratch);
/// (a * b + 2^(shift-1)) >> shift of the 64-bit product, low 32 bits of it; shift in 1..63 (TOSA
/// 1.0.1, 2.5.14). At most the given number of commands. Sets the sign bit of `violations` if the
/// result does not fit, with 5 more commands. That cannot happen for shifts from kAlwaysFitsShift
/// on.
inline constexpr int kMultiplyShiftPlanes = 11, kMultiplyShiftCommands = 65;
inline constexpr int kAlwaysFitsShift = 32;
void multiply_shift_int32(const LocalTensor& dst, const LocalTensor& a, const LocalTensor& b,
                          int shift, Scratch& scratch, const LocalTensor* violations = nullptr);
/// a / b truncated toward zero. b is not 0; the quotient fits int32.
inline constexpr int kDividePlanes = 17, kDivideCommands = 203;
void divide_int32(const LocalTensor& dst, const LocalTensor& a, const LocalTensor& b,
                  Scratch& scratch);

}  // namespace okksim::kernels::prim
