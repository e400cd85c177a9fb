// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/machine/machine.h"
#include "sim/planning/plan.h"

namespace okksim::sim::planning {

/// What one step of a plan will ask of the machine.
struct StepCost {
    std::string block;
    tosa::BlockReference place;  ///< of the block
    std::uint32_t op = 0;        ///< position in Block::operators
    std::uint32_t op_index = 0;  ///< position in the file's operator list
    std::string kernel;          ///< operator name, or "(reorder)" for a copy that the plan added
    std::string output;          ///< name of the first output
    std::string origin;          ///< origin_of() the step
    std::vector<std::int64_t> shape;  ///< of the first output
    std::uint64_t gdma_commands = 0;
    std::uint64_t bdc_commands = 0;
    std::uint64_t parallel_sections = 0;  ///< stages in which both engines work: tiles in flight
    std::uint64_t bytes_moved = 0;        ///< payload of the data mover
    double microseconds = 0;              ///< that the step would take on its own, from idle
    std::int64_t local_bytes = 0;         ///< highest byte of local memory used, in any lane
    std::string
        note;  ///< why nothing is known: control flow, or values that exist only at run time
};

/// Lets every kernel of a plan issue its commands to a machine that only counts and times them.
/// Blocks of control flow count once. Constants have their values; other values that a kernel's
/// control code reads are zero.
std::vector<StepCost> dry_run(const graph::Graph& graph, const GraphPlan& plan,
                              const Machine& machine);

}  // namespace okksim::sim::planning
