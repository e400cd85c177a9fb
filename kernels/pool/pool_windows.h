// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "kernels/pool/pool_plan.h"
#include "kernels/reduction/window_tiles.h"

namespace okksim::kernels {

/// Returns a pool as feature maps for window commands, in all ways that commands support. Empty for
/// other types than fp32, for padding, and for results with factors per position.
std::vector<WindowMaps> maps_of(const PoolOperator& op, const Lanes& lanes);

/// Planner: returns windows if they are faster than `plan`.
std::optional<WindowTiles> plan_pool_windows(const PoolOperator& op, const PoolPlan& plan,
                                             Host& host);

/// Addresses of a pool's feature maps.
WindowEnds ends_of(const PoolOperator& op);

}  // namespace okksim::kernels
