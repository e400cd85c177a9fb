// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "sim/lab/bench/bench_options.h"
#include "sim/lab/bench/figure.h"

namespace okksim::sim::bench {

/// Measures times and memory of whole networks on one thread, each in a separate child process.
/// `done` is called with every value.
void measure_networks(const BenchOptions& options, const std::function<void(Figure)>& done);

/// Measures the wall time of a tree of TOSA vectors in two processes.
Figure measure_vectors(const std::filesystem::path& tree);

}  // namespace okksim::sim::bench
