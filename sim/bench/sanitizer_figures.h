// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "sim/bench/bench.h"

namespace okksim::sim::bench {

/// What looking for mistakes costs kernels of small commands: by default, and with whole call
/// stacks, in time on top of a run that looks for none.
void measure_sanitizer(const BenchOptions& options, const std::function<void(Figure)>& done);

}  // namespace okksim::sim::bench
