// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "kernels/prim/convert.h"
#include "kernels/prim/local_tensor.h"

/// Exact sums of integer products from fp32 convolutions and matrix products. A pass is exact in
/// any order if the magnitudes of its products add up to at most 2^24. Longer sums take several
/// passes, which are kept in two or three fp32 planes.
namespace okksim::kernels::prim {

/// high + low = a for an fp32 integer |a| < 2^(unit + 22), with high a multiple of 2^unit and
/// |low| <= 2^(unit - 1). Cutting int16 operands at unit 8 makes their products as short as those
/// of int8; sums of multiples of 2^8 are exact up to 2^32. 3 commands, no scratch; high is not a.
void split_float(const LocalTensor& high, const LocalTensor& low, const LocalTensor& a, int unit);

/// Sum of at most 256 passes, counted from the last settle_sum(): top + high + low. high holds
/// multiples of 2^16 and top multiples of 2^32. Without top, passes are below 2^38 and the sum is
/// below 2^39. With top, passes are below 2^47 and the sum is below 2^55.
struct ExactSum {
    LocalTensor high;
    LocalTensor low;
    std::optional<LocalTensor> top;
};

/// sum = pass, an fp32 integer with 24 significant bits. 3 commands (6 with top).
void start_sum(const ExactSum& sum, const LocalTensor& pass, Scratch& scratch);
/// sum += pass. 5 commands (9 with top).
inline constexpr int kSumPlanes = 2;
void add_to_sum(const ExactSum& sum, const LocalTensor& pass, Scratch& scratch);
/// Leaves |low| <= 2^15, as Rescale requires. 4 commands.
void carry_sum(const ExactSum& sum, Scratch& scratch);
/// Makes room for 256 more passes. 4 commands, 8 with top.
void settle_sum(const ExactSum& sum, Scratch& scratch);
/// Low 32 bits of the sum as words; the sum is destroyed. 12 commands; 4 more with `violations`,
/// which gets its sign bit set where the sum is not an int32.
void sum_to_int32(const LocalTensor& dst, const ExactSum& sum, Scratch& scratch,
                  const LocalTensor* violations = nullptr);
/// The sum as int48: low word, and high word with the sign extended; the sum is destroyed. dst need
/// not be in the aligned layout. 22 commands, 21 with top; 4 more with `violations` as above.
inline constexpr int kSumToInt48Planes = 3;
void sum_to_int48(const WideTensor& dst, const ExactSum& sum, Scratch& scratch,
                  const LocalTensor* violations = nullptr);
/// Sets sign bits of `violations` if a sum without top is not an int32, or one with top is not an
/// int48. The sum keeps its value. 10 or 16 commands.
void check_int32(const LocalTensor& violations, const ExactSum& sum, Scratch& scratch);
void check_int48(const LocalTensor& violations, const ExactSum& sum, Scratch& scratch);

}  // namespace okksim::kernels::prim
