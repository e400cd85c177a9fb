// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "isa/types.h"
#include "sim/graph/graph.h"

namespace okksim::sim::planning {

/// An operator that runs on the tiles of another operator's result.
struct GroupMember {
    std::uint32_t op = 0;  ///< position in Block::operators
    /// Sources of its leading operands, as in kernels::Follower::operands.
    std::vector<int> operands;
};

/// Operators that run in one kernel.
struct OperatorGroup {
    std::uint32_t first = 0;             ///< position in Block::operators
    std::vector<GroupMember> followers;  ///< at least one
};

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
