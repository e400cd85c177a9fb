// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/study/sweep/point_table.h"

namespace okksim::sim::sweep {

/// A machine of a sweep with all workloads. Objectives are geometric means over the workloads.
struct MachineRow {
    PointSettings settings;
    std::vector<const StoredPoint*> points;  ///< in the order of the workloads
    std::vector<double> objectives;          ///< empty: a workload is missing or failed here
};

/// Returns the machines in the order of their first points.
std::vector<MachineRow> machine_rows(const PointTable& table);

/// Returns the positions of the machines on the Pareto front, by their first objective. Smaller is
/// better; a name with a minus sign ("-gops") is an objective that should be large.
std::vector<std::size_t> front_of(const std::vector<MachineRow>& rows);

/// Returns the knee of a Pareto front: the machine with the smallest sum of objectives. Their
/// logarithms are scaled from 0 (least of the Pareto front) to 1 (largest). With two objectives it
/// is farthest from the line between the ends. Returns nothing for fewer than three machines or two
/// objectives, and if no sum is below that of an end.
std::optional<std::size_t> knee_of(const std::vector<MachineRow>& rows,
                                   const std::vector<std::size_t>& front);

/// Returns the settings as text: "chip.lanes=32 bdc.clock_mhz=700".
std::string settings_label(const PointSettings& settings);

}  // namespace okksim::sim::sweep
