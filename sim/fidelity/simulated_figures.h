// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <nlohmann/json.hpp>
#include <vector>

namespace okksim::sim::fidelity {

/// What `simulate(i)` gives for each i below `count`, each in a process of its own, `jobs` at once:
/// its figures, or "error" with why there are none. `progress(done, count)` is called after each.
std::vector<nlohmann::json> simulate_all(
    std::size_t count, int jobs, const std::function<nlohmann::json(std::size_t)>& simulate,
    const std::function<void(std::size_t, std::size_t)>& progress);

}  // namespace okksim::sim::fidelity
