// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "kernels/pool/pool_plan.h"
#include "kernels/reduction/window_tiles.h"

namespace okksim::kernels {

/// A pool as maps for window commands, in every way that commands take; none where there is none:
/// other types than fp32, zeros around the input, results that maps of factors finish.
std::vector<WindowMaps> maps_of(const PoolOperator& op, const Lanes& lanes);

/// Planner: windows where they are faster than `plan`.
std::optional<WindowTiles> plan_pool_windows(const PoolOperator& op, const PoolPlan& plan,
                                             Host& host);

/// Where a pool's maps lie.
WindowEnds ends_of(const PoolOperator& op);

}  // namespace okksim::kernels
