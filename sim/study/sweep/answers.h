// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/study/sweep/point_table.h"

namespace okksim::sim::sweep {

/// A machine of a sweep with the results of all workloads. Each objective is the geometric mean
/// over the workloads.
struct MachineRow {
    PointSettings settings;
    std::vector<const StoredPoint*> points;  ///< in the order of the workloads
    std::vector<double> objectives;          ///< empty if a workload is missing or failed here
};

/// Returns the machines in the order of their first points.
std::vector<MachineRow> machine_rows(const PointTable& table);

/// Returns the indices of the machines on the Pareto front, ordered by the first objective. All
/// objectives are minimised; write "-gops" to maximise a metric.
std::vector<std::size_t> front_of(const std::vector<MachineRow>& rows);

/// Returns the knee of a Pareto front with two objectives: the machine farthest from the line
/// between the two ends, on logarithmic axes. Returns nothing for fewer than three machines.
std::optional<std::size_t> knee_of(const std::vector<MachineRow>& rows,
                                   const std::vector<std::size_t>& front);

/// Returns the settings as text: "chip.lanes=32 bdc.clock_mhz=700".
std::string settings_label(const PointSettings& settings);

/// Formats the Pareto front, the levels (level_lines.h) and the effects (effects.h) as text.
std::string answers_text(const PointTable& table);

}  // namespace okksim::sim::sweep
