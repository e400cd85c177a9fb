// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "sim/lab/bench/bench_options.h"
#include "sim/lab/bench/figure.h"

namespace okksim::sim::bench {

/// Measures all values on one thread. Ratios alternate between the simulator and the host's own
/// limit and take the best of each, because a busy host only slows down (turns.h). `done` is called
/// after each value. On a stop request (isa/base/stop_request.h), returns the values measured so
/// far.
std::vector<Figure> run_bench(const BenchOptions& options,
                              const std::function<void(const Figure&)>& done);

}  // namespace okksim::sim::bench
