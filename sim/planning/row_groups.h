// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "isa/types.h"
#include "sim/graph/graph.h"
#include "sim/planning/operator_group.h"

namespace okksim::sim::planning {

/// What may begin a row group: any operator on integers but a product of matrices, that alone, or
/// the same of fp32.
enum class RowLead : std::uint8_t { kAny, kProduct, kFloat, kFloatProduct };

/// Groups of a block's operators that one kernel carries out on rows in local memory
/// (kernels/rows), on a machine with the instructions for that: operators that read what others of
/// the group make, and those that only feed one of them. Values between them are read nowhere else.
/// `taken` operators are in groups already. Groups of products may read what RESHAPE and TRANSPOSE
/// that come later make of values that are there before. Groups of fp32 need no instructions beyond
/// the API reference; they work along rows, or begin with a constant, which is no follower of any
/// operator before. Pure.
std::vector<OperatorGroup> choose_row_groups(const graph::Block& block,
                                             const isa::MachineShape& machine,
                                             const std::set<std::uint32_t>& taken,
                                             RowLead lead = RowLead::kAny);

}  // namespace okksim::sim::planning
