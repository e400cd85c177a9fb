// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "sim/lab/fidelity/int8_laws.h"

namespace okksim::sim::fidelity {

/// A network in int8 on machine bm1684-int8 with commands from lists, and its published time. Times
/// are ms of a launch, with the host's launch and sync.
struct Int8Figure {
    std::string network;
    int batch = 1;
    double silicon_ms = 0;    ///< median of the published times
    double unfitted_ms = 0;   ///< without the number fitted to these networks
    double simulated_ms = 0;  ///< with the fitted number
    double predicted_ms = 0;  ///< with the number fitted to the other networks
    std::string error;        ///< why there is no simulated time
};

/// Networks in int8. One number is fitted to their published times because no other source
/// determines it.
struct Int8Report {
    /// Target: largest mean of |simulated / silicon - 1|.
    static constexpr double kMeanBar = 0.12;

    std::string fitted;  ///< "mcu.list_section_cycles"
    double fitted_value = 0;
    std::vector<Int8Figure> figures;
    std::vector<Int8Law> laws;  ///< formulas of the groups and the estimator's tables

    /// Fills predicted_ms. Times are linear in the fitted number; each network gets the number with
    /// the least mean error of the other networks.
    void predict();
    /// Returns the mean of |ms / silicon_ms - 1|.
    double mean_error(double Int8Figure::*ms) const;
    bool met() const;
};

/// Format the report's part about int8 networks.
std::string to_text(const Int8Report& report);
std::string to_markdown(const Int8Report& report);
nlohmann::ordered_json to_json(const Int8Report& report);

}  // namespace okksim::sim::fidelity
