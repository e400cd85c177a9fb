// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "sim/lab/bench/bench_options.h"
#include "sim/lab/bench/figure.h"

namespace okksim::sim::bench {

/// Measures the reading of graph constants in text form, compared with a plain decoder of the same
/// characters.
void measure_texts(const BenchOptions& options, const std::function<void(Figure)>& done);

}  // namespace okksim::sim::bench
