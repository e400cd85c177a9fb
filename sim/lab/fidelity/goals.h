// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sim/lab/fidelity/band_coverage.h"
#include "sim/lab/fidelity/contest.h"
#include "sim/lab/fidelity/cross_validation.h"
#include "sim/lab/fidelity/int8_figure.h"
#include "sim/lab/fidelity/network_figure.h"

namespace okksim::sim::fidelity {

/// A metric of the cases of all folders. The target is a wish, the limit notices a regression.
struct Goal {
    std::string what;
    double value = 0;
    std::optional<double> target;
    double limit = 0;
    bool percent = true;    ///< the value is a share
    bool at_least = false;  ///< target and limit are the least values instead of the largest ones

    bool reached() const { return !target || holds(*target); }
    bool kept() const { return holds(limit); }

 private:
    bool holds(double bound) const { return at_least ? value >= bound : value <= bound; }
};

/// The parts of a report that have goals; nullptr: not run.
struct GoalParts {
    const ContestReport* contest = nullptr;
    const CrossValidation* validation = nullptr;
    const BandCoverage* bands = nullptr;
    const std::vector<NetworkFigure>* networks = nullptr;
    const Int8Report* int8 = nullptr;
};
/// Returns the goals of the parts; none without cases of a further folder.
std::vector<Goal> goals(const GoalParts& parts);

std::string to_text(const std::vector<Goal>& goals);
std::string to_markdown(const std::vector<Goal>& goals);
nlohmann::ordered_json to_json(const std::vector<Goal>& goals);

}  // namespace okksim::sim::fidelity
