// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "kernels/tosa/tosa_types.h"

/// Element types of a product's operands. The array multiplies fp32 words.
namespace okksim::kernels::conv {

/// Planes of words that hold an operand. int16 becomes two limbs, multiples of 2^8 and the rest,
/// each as short as int8.
inline constexpr int kMostLimbs = 2;
int limbs_of(tosa::DType type);
/// True if the stored elements are not fp32.
bool is_narrow(tosa::DType type);
/// True if the GDMA can write elements of the type as the low bytes of words.
bool can_spread(tosa::DType type);
/// Largest magnitude of a value or limb in its unit after the zero point is subtracted. An unknown
/// zero point can be any value. 0: floating point.
std::int64_t largest_value(tosa::DType type, std::optional<std::int64_t> zero_point);
std::int64_t largest_limb(tosa::DType type, std::optional<std::int64_t> zero_point);

}  // namespace okksim::kernels::conv
