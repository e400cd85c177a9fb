// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace okksim::sim::fidelity {

/// A whole network beside its published time. No bar: the time on silicon is that of the vendor's
/// compiler, whose versions alone differ by up to half.
struct NetworkFigure {
    std::string network;
    double silicon_ms = 0;    ///< median of the published times: launch, run, sync
    std::size_t sources = 0;  ///< how many there are
    double simulated_ms = 0;  ///< commands from lists, as the vendor's runtime has them
    double calls_ms = 0;      ///< every command issued by firmware
    std::string error;        ///< why there is no simulated time

    double ratio() const { return simulated_ms / silicon_ms; }
};

}  // namespace okksim::sim::fidelity
