// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "kernels/planning/host.h"

namespace okksim::kernels {

/// One way to do something: firmware whose steps cost as much as the first, or less where they are
/// smaller.
struct SteppedFirmware {
    std::int64_t steps = 1;
    double volume = 1;                           ///< of all steps, the first one's being 1
    std::function<void(std::int64_t most)> run;  ///< the first `most` steps and no more
};

/// Planner: the position of the fastest way. Ways of many commands are timed by some of their
/// steps. At least one way.
std::size_t fastest_way(const std::vector<SteppedFirmware>& ways, Host& host);

/// Planner: the fastest of some plans; `way(plan)` gives its SteppedFirmware.
template <typename Plan, typename Way>
Plan fastest_plan(std::vector<Plan> plans, Host& host, const Way& way) {
    if (plans.size() == 1) return std::move(plans.front());
    std::vector<SteppedFirmware> ways;
    for (const Plan& plan : plans) ways.push_back(way(plan));
    return std::move(plans[fastest_way(ways, host)]);
}

}  // namespace okksim::kernels
