// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "sim/bench/bench.h"

namespace okksim::sim::bench {

/// What a point of a sweep takes: with a fixed plan, and planned anew at both efforts.
void measure_sweeps(const BenchOptions& options, const std::function<void(Figure)>& done);

}  // namespace okksim::sim::bench
