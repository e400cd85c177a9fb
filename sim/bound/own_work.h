// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/call/computing.h"
#include "sim/graph/graph.h"

/// Lower bounds of the instructions that firmware is charged (kernels/call/computing.h), without
/// those charged per command.
namespace okksim::sim::bound {

/// Returns the instructions of `count` units of work.
std::int64_t own_instructions(kernels::OwnWork work, std::int64_t count = 1);
/// Returns the set-up of a kernel or layer group, whichever is less.
std::int64_t least_set_up();
/// Returns the set-up of a layer group with the fewest sections.
std::int64_t layers_set_up();
inline constexpr std::int64_t kLeastSections = 3;
/// Returns the instructions for one load or store of a feature map by a layer group.
std::int64_t transfer_instructions();
/// Returns the instructions of a kernel that reorders a feature map.
std::int64_t reorder_instructions();
/// Returns the instructions of an operator on fp32 feature maps, without the set-up of its step.
/// `can_follow`: the operator may join the kernel of another operator.
std::int64_t map_instructions(const graph::Block& block, const graph::Operator& op,
                              bool can_follow);
/// Returns the instructions of a kernel call with windows, which makes `transfers` transfers in
/// `tiles` tiles.
std::int64_t window_instructions(const graph::Block& block, const graph::Operator& op,
                                 std::int64_t transfers, std::int64_t tiles);
/// Returns the instructions of an fp32 element-wise operator in a separate kernel, set-up included.
std::int64_t kernel_instructions(const graph::Block& block, const graph::Operator& op,
                                 std::int64_t tiles = 1);
/// Returns the instructions of an element-wise operator that joins another operator's kernel.
std::int64_t follower_instructions(const graph::Block& block, const graph::Operator& op);

}  // namespace okksim::sim::bound
