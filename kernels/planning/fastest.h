// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "kernels/planning/host.h"

namespace okksim::kernels {

/// One alternative: firmware whose steps cost at most the same as the first step.
struct SteppedFirmware {
    std::int64_t steps = 1;
    double volume = 1;                           ///< of all steps, relative to the first one
    std::function<void(std::int64_t most)> run;  ///< runs the first `most` steps
};

/// Planner: returns the index of the fastest way. Ways with many commands are timed by some of
/// their steps. There must be at least one way.
std::size_t fastest_way(const std::vector<SteppedFirmware>& ways, Host& host);

/// Planner: returns the fastest of some plans; `way(plan)` returns its SteppedFirmware.
template <typename Plan, typename Way>
Plan fastest_plan(std::vector<Plan> plans, Host& host, const Way& way) {
    if (plans.size() == 1) return std::move(plans.front());
    std::vector<SteppedFirmware> ways;
    for (const Plan& plan : plans) ways.push_back(way(plan));
    return std::move(plans[fastest_way(ways, host)]);
}

}  // namespace okksim::kernels
