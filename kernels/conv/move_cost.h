// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "kernels/conv/problem.h"

/// What transfers cost on the reference machine, by the laws of models/gdma/README.md and
/// models/dram/README.md.
namespace okksim::kernels::conv {

// Nanoseconds per byte, rounded (sim/machines/bm1684.toml).
inline constexpr double kReadByte = 1 / 27.9;
inline constexpr double kWriteByte = 1 / 22.3;
/// Pieces at multiples of it are not shifted by the data mover.
inline constexpr std::int64_t kGridBytes = 64;

/// Elements in system memory that a block takes, innermost first, until they stop being neighbours.
struct MoveLayout {
    double runs = 1;
    double run_bytes = 0;
    double pitch_bytes = 0;
    double pieces = 1;  ///< contiguous in local memory too: never more than a channel
    bool on_grid = true;
};

double move_nanoseconds(const MoveLayout& layout, double per_byte);

/// A block of `rows` x `columns` of some channels of feature maps whose planes have `plane`
/// elements.
MoveLayout plane_layout(const FeatureMaps& maps, std::int64_t images, std::int64_t channels,
                        std::int64_t rows, std::int64_t columns, std::int64_t plane);

}  // namespace okksim::kernels::conv
