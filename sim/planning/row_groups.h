// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "isa/types.h"
#include "sim/graph/graph.h"
#include "sim/planning/operator_group.h"

namespace okksim::sim::planning {

/// The first operator of a row group: any integer operator except a product of matrices, a product,
/// or the same two for fp32.
enum class RowLead : std::uint8_t { kAny, kProduct, kFloat, kFloatProduct };

/// Returns groups of a block's operators that one kernel runs on rows in local memory
/// (kernels/rows). The machine must have the instructions for it. Members read values of the group,
/// or only feed a member; values between members are read nowhere else. Operators in `taken` are
/// left out. Groups of products may read the results of later RESHAPE and TRANSPOSE of earlier
/// values. Groups of fp32 need no instructions beyond the API reference. They work along rows, or
/// begin with an operator on a constant that cannot be a follower of an earlier one. Pure.
std::vector<OperatorGroup> choose_row_groups(const graph::Block& block,
                                             const isa::MachineShape& machine,
                                             const std::set<std::uint32_t>& taken,
                                             RowLead lead = RowLead::kAny);

}  // namespace okksim::sim::planning
