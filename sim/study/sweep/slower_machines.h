// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sim/study/sweep/machine_rows.h"

namespace okksim::sim::sweep {

/// Returns 1 if a larger value of the parameter is better, -1 if a smaller one is, and 0 if physics
/// does not say (parameter_directions.def).
int parameter_direction(const std::string& parameter);

/// A workload that is slower on a better machine than on a worse one. Every setting in which the
/// machines differ has a direction, and the better value.
struct SlowerMachine {
    const StoredPoint* better = nullptr;
    const StoredPoint* worse = nullptr;
    double us_better = 0, us_worse = 0;
    std::size_t pairs = 0;  ///< of this workload
};

/// Returns the pair with the largest factor for every workload that has one.
std::vector<SlowerMachine> slower_machines(const std::vector<MachineRow>& rows);

/// Formats a line per workload with both machines, both times, and how to run the worse machine's
/// plan on the better machine.
std::string slower_machines_text(const PointTable& table, const std::vector<MachineRow>& rows);

}  // namespace okksim::sim::sweep
