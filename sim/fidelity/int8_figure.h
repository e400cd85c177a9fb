// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "sim/fidelity/int8_laws.h"

namespace okksim::sim::fidelity {

/// A network in int8 on machine bm1684-int8, commands from lists, beside its published time: ms of
/// a launch, with the host's launch and sync.
struct Int8Figure {
    std::string network;
    int batch = 1;
    double silicon_ms = 0;    ///< median of the published times
    double unfitted_ms = 0;   ///< without what is fitted to these networks
    double simulated_ms = 0;  ///< with it
    double predicted_ms = 0;  ///< with it fitted to the other networks
    std::string error;        ///< why there is no simulated time
};

/// Networks whose published times the one number is fitted to that nothing else says anything of.
struct Int8Report {
    /// Largest mean of |simulated / silicon - 1|.
    static constexpr double kMeanBar = 0.12;

    std::string fitted;  ///< "mcu.list_section_cycles"
    double fitted_value = 0;
    std::vector<Int8Figure> figures;
    std::vector<Int8Law> laws;  ///< of the groups, beside the estimator's tables

    /// Fills predicted_ms: times are straight lines of the fitted number, which is the one with the
    /// least mean error of the other networks.
    void predict();
    /// Mean of |figure / silicon - 1|.
    double mean_error(double Int8Figure::*ms) const;
    bool met() const;
};

/// The parts of the report about them.
std::string to_text(const Int8Report& report);
std::string to_markdown(const Int8Report& report);
nlohmann::ordered_json to_json(const Int8Report& report);

}  // namespace okksim::sim::fidelity
