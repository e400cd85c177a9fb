// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "kernels/tiling/lane_move.h"

/// Estimates that choose between ways to move data; all ways are correct. In nanoseconds of the
/// reference machine, after the laws of models/gdma/README.md and models/dram/README.md.
namespace okksim::kernels {

struct LaneMoveCost {
    double commands = 0;
    double nanoseconds = 0;  ///< of the data mover, without the set-up of commands

    /// The slower of the control processor, which issues the commands, and the data mover.
    double total() const;
};

/// What one more command costs the control processor.
double issue_cost();
/// What one more command costs the compute engine.
double turn_cost();
/// Moving one side of a tile.
LaneMoveCost side_cost(const LaneMoveCommands& side, int element_bytes);
/// One command within system memory, in the order of the destination.
double system_copy_cost(const std::vector<NdAxis>& axes, int element_bytes);

}  // namespace okksim::kernels
