// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "kernels/rescale/rescale_range.h"
#include "kernels/rows/row_program.h"

/// Value ranges of results of integer operators from the ranges of their operands: pure. Bounds are
/// exact for operands that take all values of their ranges, of at most 33 bits.
namespace okksim::kernels::rows {

inline constexpr ValueRange kEveryWord{INT32_MIN, INT32_MAX};

inline bool is_word(const ValueRange& range) { return kEveryWord.contains(range); }
/// The part of the range that is in int32; all of int32 if there is none.
ValueRange cut_to_word(const ValueRange& range);
/// All values of bool, i8, i16 or i32.
ValueRange type_range(tosa::DType type);

ValueRange sum(const ValueRange& a, const ValueRange& b);
ValueRange difference(const ValueRange& a, const ValueRange& b);
ValueRange product(const ValueRange& a, const ValueRange& b);
/// (value + 2^(amount - 1)) >> amount; the value for amount 0.
ValueRange shifted(const ValueRange& range, int amount);
ValueRange largest(const ValueRange& a, const ValueRange& b);
ValueRange least(const ValueRange& a, const ValueRange& b);
ValueRange leading_zeros(const ValueRange& range);
ValueRange magnitude(const ValueRange& range);

/// A limit of CLAMP on i8 or i16.
int clamp_limit(const tosa::ElementBytes& element, tosa::DType type);

/// A RESCALE with known constants.
struct KnownRescale {
    RowScale scale;
    bool is_one = false;  ///< one factor, which is in `scale`
    ValueRange range;     ///< of the result
};

/// Returns nothing for RESCALE of 16-bit factors, for values outside a factor's range (TOSA 1.0.1,
/// 4.5.5 apply_scale_32), and for unknown or invalid constants.
std::optional<KnownRescale> known_rescale(
    const Follower& member, const ValueRange& input,
    const std::function<std::optional<std::vector<std::int64_t>>(std::size_t input)>& read);

}  // namespace okksim::kernels::rows
