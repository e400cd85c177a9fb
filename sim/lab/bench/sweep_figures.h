// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "sim/lab/bench/bench_options.h"
#include "sim/lab/bench/figure.h"

namespace okksim::sim::bench {

/// Measures the time of a sweep point: with a fixed schedule, and with planning at both efforts.
void measure_sweeps(const BenchOptions& options, const std::function<void(Figure)>& done);

}  // namespace okksim::sim::bench
