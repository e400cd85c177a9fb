// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "kernels/conv/problem.h"
#include "kernels/prim/rescale.h"
#include "kernels/transfer/tile_io.h"

namespace okksim::kernels::conv {

/// What may not fit the accumulator of an integer sum, by the bounds of operands, products and
/// bias.
enum class SumCheck : std::uint8_t {
    kNone,
    kResult,  ///< sum and bias together
    kBoth     ///< the sum alone, too
};

/// How the products of an output are summed and what becomes of the sum.
struct SumRule {
    tosa::DType sum = tosa::DType::kUnknown;
    tosa::DType stored = tosa::DType::kUnknown;  ///< differs from `sum` where sums are scaled
    /// Products of one fp32 pass that stay exact; 0: floating point, no limit.
    std::int64_t exact_terms = 0;
    bool single_pass = true;  ///< all products of an output fit one exact pass
    bool short_sums = false;  ///< the products of an output stay clear of the ends of int32
    SumCheck check = SumCheck::kNone;
    /// RESCALE follows: single passes with their bias are below 2^24.
    std::optional<prim::Rescale> scale;
    WordForm scale_form = WordForm::kFloat;  ///< of scaled values
    std::uint64_t scale_offset = 0;          ///< of its rows in what is prepared, in bytes
    int epilogue_planes = 0;                 ///< scratch that the epilogue takes
    int epilogue_operands = 0;               ///< tiles that it reads besides the sums

    bool exact() const { return exact_terms > 0; }
    std::uint64_t argument_words() const;
    /// Where int32 sums may come near the ends of their range, or stay in parts, all of a bias is
    /// added to their parts.
    bool bias_in_parts() const {
        return sum == tosa::DType::kI32 && !single_pass && (scale || !short_sums);
    }
    /// The upper half of an int32 bias is added as fp32.
    bool upper_bias_as_float() const { return bias_in_parts() || scale; }
    /// The lower part of the bias is added with the first products.
    bool bias_with_products() const {
        return sum != tosa::DType::kI48 && !(bias_in_parts() && check == SumCheck::kBoth);
    }
};
SumRule sum_rule(const Problem& problem, const Lanes& lanes);

/// Planes of 32-bit words and bytes that an output tile of a rule takes. A plane holds one word per
/// output element.
struct SumMemory {
    int ring_planes = 1;  ///< of each of the buffers that wait to be stored, when those hold words
    int ring_bytes = 0;   ///< or bytes per element when they hold packed elements
    int work_planes = 0;  ///< one set in all
    int scratch_planes = 0;  ///< on top of it, shared with other users of scratch
};
SumMemory sum_memory(const SumRule& rule);

}  // namespace okksim::kernels::conv
