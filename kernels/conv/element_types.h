// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "kernels/tosa/tosa_types.h"

/// What the types of a product's operands mean for the array, which multiplies fp32 words.
namespace okksim::kernels::conv {

/// Planes of words that hold an operand: int16 becomes two limbs, multiples of 2^8 and the rest,
/// both as short as int8.
inline constexpr int kMostLimbs = 2;
int limbs_of(tosa::DType type);
/// True when the stored elements are not fp32.
bool is_narrow(tosa::DType type);
/// Whether the data mover can bring elements of the type as the low bytes of words.
bool can_spread(tosa::DType type);
/// Largest magnitude of a limb in its unit after the zero point is subtracted, whatever that is
/// where it is not known; 0: floating point.
std::int64_t largest_value(tosa::DType type, std::optional<std::int64_t> zero_point);
std::int64_t largest_limb(tosa::DType type, std::optional<std::int64_t> zero_point);

}  // namespace okksim::kernels::conv
