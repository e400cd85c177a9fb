// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "kernels/prim/local_tensor.h"

/// Exact sums of int32 words with overflow detection. A word is cut into limbs of 19 bits: fp32
/// integers in separate planes. Sums of limbs take fewer commands than sums of words.
namespace okksim::kernels::prim {

/// Sums of unsettled limbs that stay exact: 2^5 limbs of 19 bits are below 2^24.
inline constexpr std::int64_t kTermsUnsettled = 32;
/// Limbs for the sum of up to `terms` words: the second one is below 2^24 / 2^12 terms long.
constexpr std::size_t word_sum_limbs(std::int64_t terms) { return terms <= 4096 ? 2 : 3; }
inline constexpr std::size_t kMostWordLimbs = 3;
using WordLimbs = std::array<LocalTensor, kMostWordLimbs>;

/// Limbs of the words in limb 0. 6 commands, 7 with three limbs; no scratch.
void cut_words(const WordLimbs& limbs, std::size_t count);
/// Leaves |limb| <= 2^18 in all but the last, so that kTermsUnsettled such sums may be added again.
/// Limbs may have strides. 4 commands per limb but the last; one plane.
inline constexpr int kSettlePlanes = 1;
void settle_words(const WordLimbs& limbs, std::size_t count, Scratch& scratch);
/// The sum's low 32 bits as words in limb 0; the limbs are destroyed. Aligned layout. Sets the sign
/// bit of `violations` if the sum is not an int32. 15 commands, 20 with three limbs; one plane.
void join_words(const WordLimbs& limbs, std::size_t count, const LocalTensor& violations,
                Scratch& scratch);

}  // namespace okksim::kernels::prim
