// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace okksim::sim::fidelity {

/// A case of the contest as operators of a graph, beside the best kernel that people wrote by hand
/// for it.
struct OperatorFigure {
    /// What the host's launch and sync take on silicon, which its best times include.
    static constexpr double kLaunchMicroseconds = 25;

    std::string op;  ///< as the leaderboard names it
    std::string number;
    double silicon_us = 0;    ///< best time
    double simulated_us = 0;  ///< of the operators' steps, everything charged, by calls
    std::string error;        ///< why there is no simulated time

    double with_launch() const { return simulated_us + kLaunchMicroseconds; }
    bool is_won() const { return error.empty() && with_launch() < silicon_us; }
};

/// Of all cases.
inline constexpr std::size_t kWonBar = 95;

/// The parts of the report about them.
std::string to_text(const std::vector<OperatorFigure>& figures);
std::string to_markdown(const std::vector<OperatorFigure>& figures);
nlohmann::ordered_json to_json(const std::vector<OperatorFigure>& figures);

}  // namespace okksim::sim::fidelity
