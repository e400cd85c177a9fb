// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "isa/types.h"
#include "sim/graph/graph.h"
#include "sim/planning/operator_group.h"

namespace okksim::sim::planning {

/// Groups of a block's operators by kernels::can_follow(), such that values between the operators
/// of a group are read nowhere else. Operators in no group run alone. For a `machine`: also the row
/// groups (row_groups.h) that it can carry out, without `taken` operators; `chains_products`: those
/// that products of matrices begin before all others. Pure.
std::vector<OperatorGroup> choose_groups(const graph::Block& block,
                                         const isa::MachineShape* machine = nullptr,
                                         std::set<std::uint32_t> taken = {},
                                         bool chains_products = false);

/// "CONV2D+CLAMP"; of many operators the first and the last one.
std::string group_name(tosa::OpCode first, std::span<const tosa::OpCode> followers);

/// "(104 layers)": the step of a layer group.
std::string layers_name(std::size_t count);

}  // namespace okksim::sim::planning
