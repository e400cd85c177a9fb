// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

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

}  // namespace okksim::sim::bench
