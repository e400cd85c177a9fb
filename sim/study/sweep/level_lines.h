// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "sim/study/sweep/machine_rows.h"

namespace okksim::sim::sweep {

/// A limit on a metric, and the machines that stay within `most` for every workload.
struct Level {
    double most = 0;
    std::size_t machines = 0;         ///< number of machines within the limit
    std::optional<std::size_t> best;  ///< row with the smallest first objective among them
};

/// A metric with its levels. The levels show what a budget of area or power achieves.
struct LevelLine {
    std::string metric;
    std::vector<Level> levels;  ///< rising
    std::size_t objective = 0;  ///< the objective that is best within each level
    bool is_mean = false;       ///< the limit is for the mean over the workloads, not for each
};

/// Returns the levels of the specification. Without any, uses round numbers of area and mean power
/// if the machines differ in them, and of the means of all objectives.
std::vector<LevelLine> level_lines(const PointTable& table, const std::vector<MachineRow>& rows);

/// Returns up to five rising round numbers between two others: 1, 2, 5, 10 ..., or even steps if
/// the two are close.
std::vector<double> round_levels(double low, double high);

/// Formats the levels as a text table.
std::string levels_text(const PointTable& table, const std::vector<MachineRow>& rows);

}  // namespace okksim::sim::sweep
