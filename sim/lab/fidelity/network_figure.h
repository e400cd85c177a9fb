// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace okksim::sim::fidelity {

/// A whole network with one image: simulated time, published time, and the schedule's target. The
/// silicon time is not a target: it comes from the vendor's compiler, whose versions differ by up
/// to half.
struct NetworkFigure {
    std::string network;
    std::string precision = "fp32";
    double lists_bar_ms = 0;  ///< targets of the schedule; 0: none
    double calls_bar_ms = 0;
    double silicon_ms = 0;    ///< median of the published times: launch, run, sync
    std::size_t sources = 0;  ///< number of published times
    double simulated_ms = 0;  ///< commands from lists, like the vendor's runtime
    double calls_ms = 0;      ///< firmware issues every command
    std::string error;        ///< why there is no simulated time

    double ratio() const { return simulated_ms / silicon_ms; }
    bool met() const {
        return error.empty() && (lists_bar_ms == 0 || simulated_ms <= lists_bar_ms) &&
               (calls_bar_ms == 0 || calls_ms <= calls_bar_ms);
    }
};

}  // namespace okksim::sim::fidelity
