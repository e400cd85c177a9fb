// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/call/computing.h"
#include "sim/graph/graph.h"

/// Instructions that firmware is charged for at least (kernels/call/computing.h), beside those of
/// every command.
namespace okksim::sim::bound {

/// Of so many pieces of work.
std::int64_t own_instructions(kernels::OwnWork work, std::int64_t count = 1);
/// A kernel or a layer group sets up.
std::int64_t least_set_up();
/// A layer group sets up; sections that it has at least: one that loads, one that computes, one
/// that stores.
std::int64_t layers_set_up();
inline constexpr std::int64_t kLeastSections = 3;
/// A map is loaded or stored by a layer group.
std::int64_t transfer_instructions();
/// A kernel that puts a map in another order.
std::int64_t reorder_instructions();
/// An operator on maps of fp32, in a layer group or in the kernel of another operator or of its
/// own, beside the set-up.
std::int64_t map_instructions(const graph::Block& block, const graph::Operator& op,
                              bool can_follow);
/// A kernel is called with an operator of windows, and moves so many blocks in so many tiles.
std::int64_t window_instructions(const graph::Block& block, const graph::Operator& op,
                                 std::int64_t transfers, std::int64_t tiles);
/// An element-wise operator of fp32 in a kernel of its own, set-up included.
std::int64_t kernel_instructions(const graph::Block& block, const graph::Operator& op,
                                 std::int64_t tiles = 1);
/// The same in the kernel of another one.
std::int64_t follower_instructions(const graph::Block& block, const graph::Operator& op);

}  // namespace okksim::sim::bound
