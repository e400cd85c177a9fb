// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace okksim::sim::bench {

/// Options of the benchmark.
struct BenchOptions {
    bool quick = false;                  ///< fewer rounds, for CI
    std::filesystem::path vectors = {};  ///< tree of TOSA vectors to run; may be empty
};

}  // namespace okksim::sim::bench
