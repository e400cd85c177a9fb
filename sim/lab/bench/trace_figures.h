// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "sim/lab/bench/bench_options.h"
#include "sim/lab/bench/figure.h"

namespace okksim::sim::bench {

/// Measures command traces: their size, the additional time of recording small commands, and
/// replay.
void measure_traces(const BenchOptions& options, const std::function<void(Figure)>& done);

}  // namespace okksim::sim::bench
