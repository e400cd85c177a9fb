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

/// Returns groups of a block's operators by kernels::can_follow(). Values between the operators of
/// a group are read nowhere else, and operators without a group run alone. With a `machine`, the
/// result includes its row groups (row_groups.h). Operators in `taken` are left out. With
/// `chains_products`, row groups that begin with a product of matrices come first. Pure.
std::vector<OperatorGroup> choose_groups(const graph::Block& block,
                                         const isa::MachineShape* machine = nullptr,
                                         std::set<std::uint32_t> taken = {},
                                         bool chains_products = false);

/// Returns "CONV2D+CLAMP", or the first and the last name of many operators.
std::string group_name(tosa::OpCode first, std::span<const tosa::OpCode> followers);

/// Returns "(104 layers)", the name of a layer group's step.
std::string layers_name(std::size_t count);

}  // namespace okksim::sim::planning
