// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "kernels/combiner.h"
#include "kernels/tensor.h"
#include "kernels/tile_io.h"
#include "kernels/tiling/nd_tiles.h"

namespace okksim::kernels {

/// What lies at one end of a reduction: typed elements in system memory.
struct ReductionEnd {
    std::uint64_t address = 0;
    tosa::DType type = tosa::DType::kUnknown;
    WordForm form = WordForm::kValue;  ///< of the words that the combiner sees
    NdStrides strides{};               ///< over the dimensions; not used along the output's axis
};

/// Combines the input along dimension `axis` of `dims`; the output has extent 1 there. Few
/// commands: values fold in halves, channels over lanes are chosen among the other dimensions; few
/// outputs are reduced in two steps so that all lanes work. True when the combiner checks and found
/// a violation.
bool reduce_axis(const Combiner& combiner, const ReductionEnd& input, const ReductionEnd& output,
                 std::span<const std::int32_t> dims, int axis);

}  // namespace okksim::kernels
