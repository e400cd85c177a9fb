// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/machine/machine.h"
#include "sim/study/sweep/axis.h"
#include "sim/study/sweep/spec_table.h"

namespace okksim::sim::sweep {

/// Returns the parameters outside the machine that an axis may vary: "run.effort", "zoo.precision",
/// "zoo.batch", "zoo.size", "zoo.width".
const std::vector<std::string>& run_parameters();

/// Reads one [[axis]]: a list of values, a linear or logarithmic range, or an interval. Factors
/// ("x2") multiply the base machine's value. `samples` permits intervals without a number of
/// points.
Axis read_axis(SpecTable& table, const Machine& base, bool samples);

/// Makes an axis for each nonzero number of a machine, with a value smaller and a value larger by
/// `share`. Whole numbers are rounded. A value that rounding leaves unchanged is omitted.
std::vector<Axis> axes_of_all_parameters(const Machine& base, double share);

}  // namespace okksim::sim::sweep
