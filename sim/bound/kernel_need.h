// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sim/bound/step_need.h"
#include "sim/graph/graph.h"
#include "sim/pricing/machine_host.h"

namespace okksim::sim::bound {

/// What an operator of a launch takes with element-wise ones behind it in one kernel, whose
/// operands and results are in global memory: as a whole, and in tiles. `pieces`: what the data
/// mover takes besides for those in another order than it wants.
/// Positions in Block::operators.
std::vector<StepNeed> kernel_needs(const graph::Block& block,
                                   const std::vector<std::uint32_t>& operators,
                                   models::Picoseconds pieces, pricing::MachineHost& host);

}  // namespace okksim::sim::bound
