// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "sim/bench/bench.h"

namespace okksim::sim::bench {

/// Networks in other forms than .tosa: how soon they can start, from the file's bytes to the plan.
void measure_forms(const BenchOptions& options, const std::function<void(Figure)>& done);

}  // namespace okksim::sim::bench
