// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/machine/machine.h"
#include "sim/study/sweep/axis.h"
#include "sim/study/sweep/spec_table.h"

namespace okksim::sim::sweep {

/// What an axis may vary besides the machine: "run.effort", "zoo.precision", "zoo.batch",
/// "zoo.size", "zoo.width".
const std::vector<std::string>& run_parameters();

/// Reads one [[axis]]: a list of values, an even or logarithmic range, or an interval; factors
/// ("x2") are of the base machine's value. `samples`: intervals without a number of points may be.
Axis read_axis(SpecTable& table, const Machine& base, bool samples);

/// An axis for every number of a machine that is not 0: smaller and larger by `share`, whole
/// numbers rounded; those that are not other numbers then have none.
std::vector<Axis> axes_of_all_parameters(const Machine& base, double share);

}  // namespace okksim::sim::sweep
