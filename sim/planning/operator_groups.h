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

/// An operator that is carried out on the tiles of another one's result.
struct GroupMember {
    std::uint32_t op = 0;  ///< position in Block::operators
    /// Of its leading operands the values that they are: kernels::Follower::operands.
    std::vector<int> operands;
};

/// Operators that one kernel carries out.
struct OperatorGroup {
    std::uint32_t first = 0;             ///< position in Block::operators
    std::vector<GroupMember> followers;  ///< at least one
};

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
