// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace okksim::sim::bench {

/// One measured figure and the bar it is held against.
struct Figure {
    std::string name;
    double value = 0;
    std::string unit;   ///< "% of peak", "commands/s", "ms"
    double target = 0;  ///< bar in the same unit
    bool lower_is_better = false;
    std::string note;          ///< absolute numbers behind a ratio
    bool is_of_limit = false;  ///< a share of what the host can do at most
    std::string machine = {};  ///< that is simulated; empty: the reference

    /// A limit that is exceeded is none: whatever was measured as such says nothing.
    bool exceeds_limit() const { return is_of_limit && value > 100; }
    bool met() const {
        return (lower_is_better ? value <= target : value >= target) && !exceeds_limit();
    }
};

struct BenchOptions {
    bool quick = false;                  ///< fewer rounds, for CI
    std::filesystem::path vectors = {};  ///< tree of TOSA vectors to run; empty: none
};

/// Measures all figures on one thread. Ratios alternate between the simulator and the host's own
/// limit and take the best of each, since a busy host only ever slows down (turns.h). `done` is
/// called after each. When the user asks for an end (isa/stop_request.h), those that are there.
std::vector<Figure> run_bench(const BenchOptions& options,
                              const std::function<void(const Figure&)>& done);

}  // namespace okksim::sim::bench
