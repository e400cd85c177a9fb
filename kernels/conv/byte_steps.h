// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "kernels/conv/byte_plan.h"

/// The steps of a convolution of bytes: tile by tile within each block of channels.
namespace okksim::kernels::conv {

struct ByteStep {
    std::int32_t block = 0;
    Range images;
    Range rows;  ///< of the output
};

/// Inputs that a tile needs: its columns, and its rows for `rows` outputs from `first` on.
AxisSlice byte_columns(const Problem& problem);
AxisSlice byte_rows(const Problem& problem, std::int32_t first, std::int32_t rows);

/// Tiles of a block.
std::int64_t byte_tile_count(const Problem& problem, const BytePlan& plan);
std::int64_t byte_step_count(const Problem& problem, const BytePlan& plan);
/// Returns step `number`, which is below the count.
ByteStep byte_step(const Problem& problem, const BytePlan& plan, std::int64_t number);

}  // namespace okksim::kernels::conv
