// SPDX-License-Identifier: Apache-2.0
#include "sim/lab/fidelity/goals.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace okksim::sim::fidelity {
namespace {

/// Targets: cases that no fit has seen, and published networks.
constexpr double kUnseenTarget = 0.06;
constexpr double kUnseenFactorTarget = 1.25;
constexpr double kUnseenToFittedTarget = 1.3;
constexpr double kNetworksTarget = 0.1;
constexpr double kNoImpossible = 0;

void add_contest(const ContestReport& contest, std::vector<Goal>& goals) {
    const Agreement figures = contest.figures(0);
    goals.push_back({"mean error", figures.mean_absolute_error, {}, 0.053});
    goals.push_back({"worst factor", figures.worst_factor, {}, 1.24, false});
    if (contest.has_ranges()) {
        goals.push_back(
            {"mean error outside silicon's ranges", contest.mean_error_outside(0), {}, 0.042});
    }
    goals.push_back({"impossible kernels",
                     static_cast<double>(contest.impossible_kernels(0).size()), kNoImpossible, 11,
                     false});
}

void add_validation(const CrossValidation& validation, std::vector<Goal>& goals) {
    const Agreement unseen = validation.figures(&PredictedCase::without_case);
    const double fitted = validation.figures(&PredictedCase::fitted).mean_absolute_error;
    goals.push_back(
        {"mean error, leave-one-out", unseen.mean_absolute_error, kUnseenTarget, 0.073});
    goals.push_back(
        {"worst factor, leave-one-out", unseen.worst_factor, kUnseenFactorTarget, 1.28, false});
    goals.push_back({"mean error without the case's operator",
                     validation.figures(&PredictedCase::without_operator).mean_absolute_error,
                     kUnseenTarget, 0.071});
    if (fitted > 0) {
        goals.push_back({"error leave-one-out / error of the fit",
                         unseen.mean_absolute_error / fitted, kUnseenToFittedTarget, 1.4, false});
    }
}

void add_bands(const BandCoverage& bands, std::vector<Goal>& goals) {
    if (bands.cases.empty()) return;
    const auto share = [&](std::size_t inside) {
        return static_cast<double>(inside) / static_cast<double>(bands.cases.size());
    };
    goals.push_back({"cases inside their band, widened by other operators", share(bands.inside()),
                     kBandShare, 0.8, true, true});
    goals.push_back({"cases inside the band of users, without sets that have seen the case",
                     share(bands.inside_file()), kBandShare, 0.8, true, true});
}

void add_networks(const GoalParts& parts, std::vector<Goal>& goals) {
    std::vector<double> errors;
    if (parts.networks != nullptr) {
        for (const NetworkFigure& row : *parts.networks) {
            if (row.error.empty() && row.precision == "fp32") {
                errors.push_back(std::abs(row.ratio() - 1));
            }
        }
    }
    if (parts.int8 != nullptr) {
        for (const Int8Figure& row : parts.int8->figures) {
            if (row.error.empty()) {
                errors.push_back(std::abs(row.predicted_ms / row.silicon_ms - 1));
            }
        }
    }
    if (errors.empty()) return;
    goals.push_back(
        {"median error of published networks", quantile(errors, 0.5), kNetworksTarget, 0.06});
}

std::string number(const Goal& goal, double value) {
    if (goal.percent) return fmt::format("{:.2f} %", value * 100);
    return value == std::floor(value) ? fmt::format("{:g}", value) : fmt::format("{:.3f}", value);
}

std::string target(const Goal& goal) { return goal.target ? number(goal, *goal.target) : "-"; }

}  // namespace

std::vector<Goal> goals(const GoalParts& parts) {
    std::vector<Goal> goals;
    if (parts.contest == nullptr || !parts.contest->has_further()) return goals;
    if (parts.validation != nullptr) add_validation(*parts.validation, goals);
    add_contest(*parts.contest, goals);
    if (parts.bands != nullptr) add_bands(*parts.bands, goals);
    add_networks(parts, goals);
    return goals;
}

std::string to_text(const std::vector<Goal>& goals) {
    std::string text =
        "Cases of all folders: targets, and limits that notice a regression (in parentheses)\n";
    for (const Goal& goal : goals) {
        text += fmt::format("    {:<68} {:>9}, target {:>8}: {:<7} (limit {}: {})\n", goal.what,
                            number(goal, goal.value), target(goal),
                            !goal.target     ? "-"
                            : goal.reached() ? "met"
                                             : "not met",
                            number(goal, goal.limit), goal.kept() ? "met" : "NOT MET");
    }
    return text + '\n';
}

std::string to_markdown(const std::vector<Goal>& goals) {
    std::string text =
        "\n"
        "## Cases of all folders: targets and limits\n"
        "The last column but one has limits near today's values, so that a regression fails.\n\n"
        "| metric | value | target | | limit | |\n"
        "|---|--:|--:|---|--:|---|\n";
    for (const Goal& goal : goals) {
        text += fmt::format("| {} | {} | {} | {} | {} | {} |\n", goal.what,
                            number(goal, goal.value), target(goal),
                            !goal.target     ? ""
                            : goal.reached() ? "met"
                                             : "**not met**",
                            number(goal, goal.limit), goal.kept() ? "met" : "**not met**");
    }
    return text;
}

nlohmann::ordered_json to_json(const std::vector<Goal>& goals) {
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    for (const Goal& goal : goals) {
        nlohmann::ordered_json row{{"metric", goal.what}, {"value", goal.value},
                                   {"target", nullptr},   {"reached", nullptr},
                                   {"limit", goal.limit}, {"met", goal.kept()}};
        if (goal.target) {
            row["target"] = *goal.target;
            row["reached"] = goal.reached();
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

}  // namespace okksim::sim::fidelity
