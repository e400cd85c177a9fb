// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <vector>

#include "sim/lab/fidelity/operator_figure.h"
#include "sim/machine/machine.h"

namespace okksim::sim::fidelity {

/// Plans and times all rows of leaderboard.csv as graphs on contest layouts (channel first). It
/// runs without data, in `jobs` processes. `progress(done, all)` is called after each.
std::vector<OperatorFigure> run_contest_operators(
    const std::filesystem::path& leaderboard, const Machine& machine, int jobs,
    const std::function<void(std::size_t, std::size_t)>& progress);

}  // namespace okksim::sim::fidelity
