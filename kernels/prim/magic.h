// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>

/// Numbers whose unit of the last fp32 digit is a given power of two. Adding one rounds the other
/// operand to multiples of this power, and the mantissa bits of the sum hold an integer.
namespace okksim::kernels::prim {

inline constexpr std::uint32_t kSignBit = 0x80000000;
inline constexpr std::uint32_t kMagnitudeBits = 0x7FFFFFFF;
inline constexpr std::uint32_t kExponentField = 0x7F800000;
inline constexpr std::uint32_t kFractionField = 0x007FFFFF;
inline constexpr std::uint32_t kAllOnes = 0xFFFFFFFF;

/// 2^exponent for -126 <= exponent <= 127.
constexpr float power_of_two(int exponent) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(exponent + 127) << 23);
}
/// 1.5 * 2^(unit + 23): (x + m) - m is x rounded to a multiple of 2^unit, ties to even, for
/// |x| < 2^(unit + 22).
constexpr float rounding_magic(int unit) { return 1.5f * power_of_two(unit + 23); }

/// 2^23: or-ing its bits onto an integer below 2^23 gives the float 2^23 + integer.
inline constexpr std::uint32_t kIntegerMagicBits = 0x4B000000;
inline constexpr float kIntegerMagic = 8388608.0f;

/// fp32 holds every integer whose magnitude is at most this.
inline constexpr std::int64_t kExactIntegers = std::int64_t{1} << 24;

inline constexpr std::uint32_t float_bits(float value) {
    return std::bit_cast<std::uint32_t>(value);
}
inline constexpr std::uint32_t kOneBits = 0x3F800000;

}  // namespace okksim::kernels::prim
