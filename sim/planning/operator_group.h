// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace okksim::sim::planning {

/// An operator that a kernel applies to the tiles of another operator's result.
struct GroupMember {
    std::uint32_t op = 0;  ///< position in Block::operators
    /// Indices of the values that are its leading operands: kernels::Follower::operands.
    std::vector<int> operands;
};

/// Operators that share one kernel.
struct OperatorGroup {
    std::uint32_t first = 0;             ///< position in Block::operators
    std::vector<GroupMember> followers;  ///< at least one
};

}  // namespace okksim::sim::planning
