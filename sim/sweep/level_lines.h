// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "sim/sweep/machine_rows.h"

namespace okksim::sim::sweep {

/// The machines whose figure is at most `most` for every workload.
struct Level {
    double most = 0;
    std::size_t machines = 0;         ///< so many
    std::optional<std::size_t> best;  ///< row with the smallest first objective among them
};

/// A figure with levels: what a budget of area or power buys.
struct LevelLine {
    std::string metric;
    std::vector<Level> levels;  ///< rising
};

/// The levels of the specification; without, round numbers of area and mean power where the
/// machines differ in them.
std::vector<LevelLine> level_lines(const PointTable& table, const std::vector<MachineRow>& rows);

/// Up to five round numbers between two others, rising: 1, 2, 5, 10 ..., or even steps where the
/// two are near each other.
std::vector<double> round_levels(double low, double high);

/// The lines as a table for people.
std::string levels_text(const PointTable& table, const std::vector<MachineRow>& rows);

}  // namespace okksim::sim::sweep
