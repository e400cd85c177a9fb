// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace okksim::sim::bench {

/// One measured value and its target.
struct Figure {
    std::string name;
    double value = 0;
    std::string unit;   ///< "% of peak", "commands/s", "ms"
    double target = 0;  ///< in the same unit
    bool lower_is_better = false;
    std::string note;          ///< the absolute numbers of a ratio
    bool is_of_limit = false;  ///< the value is a share of a limit of the host
    std::string machine = {};  ///< the simulated machine; empty: the reference

    /// True if the value exceeds the host's limit. The measured limit is then wrong.
    bool exceeds_limit() const { return is_of_limit && value > 100; }
    bool met() const {
        return (lower_is_better ? value <= target : value >= target) && !exceeds_limit();
    }
};

struct BenchOptions {
    bool quick = false;                  ///< fewer rounds, for CI
    std::filesystem::path vectors = {};  ///< tree of TOSA vectors to run; may be empty
};

/// Measures all values on one thread. Ratios alternate between the simulator and the host's own
/// limit and take the best of each, because a busy host only slows down (turns.h). `done` is called
/// after each value. On a stop request (isa/stop_request.h), returns the values measured so far.
std::vector<Figure> run_bench(const BenchOptions& options,
                              const std::function<void(const Figure&)>& done);

}  // namespace okksim::sim::bench
