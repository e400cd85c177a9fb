// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "kernels/conv/problem.h"
#include "kernels/prim/rescale.h"
#include "kernels/transfer/tile_io.h"

namespace okksim::kernels::conv {

/// Integer sums that may overflow the accumulator, by the bounds of operands, products and bias.
enum class SumCheck : std::uint8_t {
    kNone,
    kResult,  ///< sum and bias together
    kBoth     ///< also the sum without bias
};

/// Order and storage of the sum of an output's products.
struct SumRule {
    tosa::DType sum = tosa::DType::kUnknown;
    tosa::DType stored = tosa::DType::kUnknown;  ///< differs from `sum` if sums are scaled
    /// Products of one fp32 pass that stay exact; 0: floating point, no limit.
    std::int64_t exact_terms = 0;
    bool single_pass = true;  ///< all products of an output fit one exact pass
    bool short_sums = false;  ///< the sum of products stays well within int32
    SumCheck check = SumCheck::kNone;
    /// RESCALE follows. Single passes with their bias are below 2^24.
    std::optional<prim::Rescale> scale;
    WordForm scale_form = WordForm::kFloat;  ///< of scaled values
    std::uint64_t scale_offset = 0;          ///< of its rows in prepared memory, in bytes
    int epilogue_planes = 0;                 ///< scratch planes of the epilogue
    int epilogue_operands = 0;               ///< tiles that it reads in addition to the sums

    bool exact() const { return exact_terms > 0; }
    std::uint64_t argument_words() const;
    /// True if the whole bias is added to the parts of int32 sums. The sums may come near the ends
    /// of their range, or stay in parts.
    bool bias_in_parts() const {
        return sum == tosa::DType::kI32 && !single_pass && (scale || !short_sums);
    }
    /// True if the upper half of an int32 bias is added as fp32.
    bool upper_bias_as_float() const { return bias_in_parts() || scale; }
    /// True if the lower part of the bias is added with the first products.
    bool bias_with_products() const {
        return sum != tosa::DType::kI48 && !(bias_in_parts() && check == SumCheck::kBoth);
    }
};
SumRule sum_rule(const Problem& problem, const Lanes& lanes);

/// Memory of an output tile: planes of 32-bit words, and bytes. A plane holds one word per output
/// element.
struct SumMemory {
    int ring_planes = 1;     ///< of each buffer that waits to be stored, if it holds words
    int ring_bytes = 0;      ///< or bytes per element, if it holds packed elements
    int work_planes = 0;     ///< one set for all tiles
    int scratch_planes = 0;  ///< in addition, shared with other users of scratch
};
SumMemory sum_memory(const SumRule& rule);

}  // namespace okksim::kernels::conv
