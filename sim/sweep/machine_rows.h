// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/sweep/point_table.h"

namespace okksim::sim::sweep {

/// A machine of a sweep with all its workloads: objectives are geometric means over them.
struct MachineRow {
    PointSettings settings;
    std::vector<const StoredPoint*> points;  ///< in the order of the workloads
    std::vector<double> objectives;          ///< empty: a workload is missing or failed here
};

/// The machines, in the order of their first points.
std::vector<MachineRow> machine_rows(const PointTable& table);

/// Positions of the machines that no other one beats in one objective without losing in another,
/// by their first objective. Smaller is better; "-gops" and the like make more of it better.
std::vector<std::size_t> front_of(const std::vector<MachineRow>& rows);

/// The machine of a front of two objectives behind which more of the one buys little of the other:
/// farthest from the line between the ends, in logarithms. Nothing of fronts below three.
std::optional<std::size_t> knee_of(const std::vector<MachineRow>& rows,
                                   const std::vector<std::size_t>& front);

/// "chip.lanes=32 bdc.clock_mhz=700".
std::string settings_label(const PointSettings& settings);

/// Fronts, levels and effects (effects.h, level_lines.h) for people.
std::string answers_text(const PointTable& table);

}  // namespace okksim::sim::sweep
