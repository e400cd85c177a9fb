// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sim/bound/step_need.h"
#include "sim/graph/graph.h"
#include "sim/pricing/machine_host.h"

namespace okksim::sim::bound {

/// Returns the needs of a kernel that computes an operator and the element-wise operators after it,
/// as a whole and in tiles. Its operands and results are in global memory. `pieces` is the
/// additional GDMA time for operands that are not in the kernel's order. `operators` are positions
/// in Block::operators.
std::vector<StepNeed> kernel_needs(const graph::Block& block,
                                   const std::vector<std::uint32_t>& operators,
                                   models::Picoseconds pieces, pricing::MachineHost& host);

}  // namespace okksim::sim::bound
