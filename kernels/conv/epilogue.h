// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/conv/problem.h"
#include "kernels/pointwise/tile_program.h"
#include "kernels/prim/rescale.h"
#include "kernels/rescale/rescale_operands.h"
#include "kernels/transfer/tile_io.h"

namespace okksim::kernels::conv {

/// RESCALE of int32 sums. A CLAMP after it narrows the range of its output.
struct SumScale {
    std::vector<prim::ScaleFactor> factors;  ///< one, or one per output channel
    prim::ScaleRounding rounding = prim::ScaleRounding::kSingle;
    prim::ScaleOutput output;
    WordForm form = WordForm::kFloat;  ///< of scaled values

    bool per_channel() const { return factors.size() > 1; }
    /// Plan for channels [first, first + count). Sums are one fp32 integer below 2^24, or in parts.
    prim::Rescale plan(bool in_parts, std::int32_t first, std::int32_t count,
                       const Lanes& lanes) const;
};

/// Operators that the followers of a convolution apply to sums before they are stored
/// (kernels/pointwise/fusion.h).
struct Epilogue {
    TileProgram program;              ///< floating point
    std::vector<FeatureMaps> stored;  ///< operands of the program in system memory
    std::optional<SumScale> scale;    ///< integers
    std::uint64_t prepared = 0;       ///< address of the operator's prepared constants
};
/// True if the followers scale integer sums.
bool is_scaled(const OperatorCall& call);
/// Builds the epilogue of the followers. `read` reads the factors of RESCALE. Firmware omits it:
/// its plan contains the factors (SumRule::scale).
Epilogue epilogue_of(const OperatorCall& call, const ReadValues& read = {});

}  // namespace okksim::kernels::conv
