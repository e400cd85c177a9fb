// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "kernels/conv/byte_plan.h"

/// The steps of a convolution of bytes: block of channels by block, in each tile by tile.
namespace okksim::kernels::conv {

struct ByteStep {
    std::int32_t block = 0;
    Range images;
    Range rows;  ///< of the output
};

/// What a tile needs of the columns, and of the rows of `rows` outputs from `first` on.
AxisSlice byte_columns(const Problem& problem);
AxisSlice byte_rows(const Problem& problem, std::int32_t first, std::int32_t rows);

/// Tiles of a block.
std::int64_t byte_tile_count(const Problem& problem, const BytePlan& plan);
std::int64_t byte_step_count(const Problem& problem, const BytePlan& plan);
/// The step with a number below the count.
ByteStep byte_step(const Problem& problem, const BytePlan& plan, std::int64_t number);

}  // namespace okksim::kernels::conv
