// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <nlohmann/json.hpp>
#include <vector>

namespace okksim::sim::fidelity {

/// Runs `simulate(i)` for each i below `count` in separate processes, `jobs` at a time. Each result
/// is an object of values, or of "error" with the reason. `progress(done, count)` is called after
/// each.
std::vector<nlohmann::json> simulate_all(
    std::size_t count, int jobs, const std::function<nlohmann::json(std::size_t)>& simulate,
    const std::function<void(std::size_t, std::size_t)>& progress);

}  // namespace okksim::sim::fidelity
