// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "sim/lab/bench/bench_options.h"
#include "sim/lab/bench/figure.h"

namespace okksim::sim::bench {

/// Measures the sanitizer's additional time for kernels of small commands, in fast and in full
/// mode.
void measure_sanitizer(const BenchOptions& options, const std::function<void(Figure)>& done);

}  // namespace okksim::sim::bench
