// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "kernels/planning/host.h"

namespace okksim::tests {

/// Time of the chosen plan divided by the time of the best plan.
template <typename Plan, typename Run>
double ratio_to_best(const Plan& chosen, const std::vector<Plan>& candidates, kernels::Host& host,
                     const Run& run) {
    const kernels::Duration time = host.time([&] { run(chosen); });
    kernels::Duration best = time;
    for (const Plan& plan : candidates) {
        if (const auto other = host.time_within(best, [&] { run(plan); })) best = *other;
    }
    return static_cast<double>(time.count()) / static_cast<double>(best.count());
}

}  // namespace okksim::tests
