// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace okksim::sim::fidelity {

/// A contest case as operators of a graph, and the best handwritten kernel for it.
struct OperatorFigure {
    /// Microseconds of the host's launch and sync on silicon. The best times include them.
    static constexpr double kLaunchMicroseconds = 25;

    std::string op;  ///< name in the leaderboard
    std::string number;
    double silicon_us = 0;    ///< best time
    double simulated_us = 0;  ///< of the operators' steps, with every call charged
    std::string error;        ///< why there is no simulated time

    double with_launch() const { return simulated_us + kLaunchMicroseconds; }
    bool is_won() const { return error.empty() && with_launch() < silicon_us; }
};

/// Target: number of cases with is_won(), of all cases.
inline constexpr std::size_t kWonBar = 95;

/// Format the report's part about contest operators.
std::string to_text(const std::vector<OperatorFigure>& figures);
std::string to_markdown(const std::vector<OperatorFigure>& figures);
nlohmann::ordered_json to_json(const std::vector<OperatorFigure>& figures);

}  // namespace okksim::sim::fidelity
