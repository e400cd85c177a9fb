// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace okksim::sim::fidelity {

/// A whole network, one image, beside its published time and what its plan should reach. The time
/// on silicon is no bar: it is that of the vendor's compiler, whose versions alone differ by up to
/// half.
struct NetworkFigure {
    std::string network;
    std::string precision = "fp32";
    double lists_bar_ms = 0;  ///< the plan's bars; 0: none
    double calls_bar_ms = 0;
    double silicon_ms = 0;    ///< median of the published times: launch, run, sync
    std::size_t sources = 0;  ///< how many there are
    double simulated_ms = 0;  ///< commands from lists, as the vendor's runtime has them
    double calls_ms = 0;      ///< every command issued by firmware
    std::string error;        ///< why there is no simulated time

    double ratio() const { return simulated_ms / silicon_ms; }
    bool met() const {
        return error.empty() && (lists_bar_ms == 0 || simulated_ms <= lists_bar_ms) &&
               (calls_bar_ms == 0 || calls_ms <= calls_bar_ms);
    }
};

}  // namespace okksim::sim::fidelity
