// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "sim/bench/bench.h"

namespace okksim::sim::bench {

/// Command traces: their size, what recording adds to a run of small commands, and replay.
void measure_traces(const BenchOptions& options, const std::function<void(Figure)>& done);

}  // namespace okksim::sim::bench
