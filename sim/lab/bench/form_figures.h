// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "sim/lab/bench/bench_options.h"
#include "sim/lab/bench/figure.h"

namespace okksim::sim::bench {

/// Measures networks in other formats than .tosa: the time from the file's bytes to the schedule.
void measure_forms(const BenchOptions& options, const std::function<void(Figure)>& done);

}  // namespace okksim::sim::bench
