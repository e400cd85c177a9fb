// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "sim/lab/fidelity/int8_figure.h"

namespace okksim::sim::fidelity {
namespace {

/// Returns e.g. "mean error 5.1 % (limit 12 %): met".
std::string verdict_of(const Int8Report& report) {
    return fmt::format("mean error {:.1f} % (limit {:g} %): {}",
                       report.mean_error(&Int8Figure::simulated_ms) * 100,
                       Int8Report::kMeanBar * 100, report.met() ? "met" : "NOT met");
}

std::string what_is_fitted(const Int8Report& report) {
    return fmt::format(
        "{} = {:g} is fitted to these networks. Without it the mean error is {:.1f} %; "
        "leave-one-out it is {:.1f} %",
        report.fitted, report.fitted_value, report.mean_error(&Int8Figure::unfitted_ms) * 100,
        report.mean_error(&Int8Figure::predicted_ms) * 100);
}

/// Returns the time with `share` of the fitted number.
double time_at(const Int8Figure& figure, double share) {
    return figure.unfitted_ms + share * (figure.simulated_ms - figure.unfitted_ms);
}

}  // namespace

void Int8Report::predict() {
    constexpr double kMostShare = 4, kStep = 0.01;
    for (Int8Figure& own : figures) {
        double best_share = 0, least = INFINITY;
        for (double share = 0; share <= kMostShare; share += kStep) {
            double error = 0;
            for (const Int8Figure& other : figures) {
                if (&other == &own || !other.error.empty()) continue;
                error += std::abs(time_at(other, share) / other.silicon_ms - 1);
            }
            if (error >= least) continue;
            least = error;
            best_share = share;
        }
        own.predicted_ms = time_at(own, best_share);
    }
}

double Int8Report::mean_error(double Int8Figure::*ms) const {
    double sum = 0;
    for (const Int8Figure& figure : figures) sum += std::abs(figure.*ms / figure.silicon_ms - 1);
    return figures.empty() ? 0 : sum / static_cast<double>(figures.size());
}

bool Int8Report::met() const {
    return std::ranges::all_of(laws, [](const auto& law) { return law.met(); }) &&
           std::ranges::all_of(figures, [](const auto& figure) { return figure.error.empty(); }) &&
           mean_error(&Int8Figure::simulated_ms) <= kMeanBar;
}

std::string to_text(const Int8Report& report) {
    std::string out = fmt::format(
        "(g) networks in int8 on machine bm1684-int8, commands from lists, compared with the "
        "median published time of a launch: {}\n"
        "    {}\n",
        verdict_of(report), what_is_fitted(report));
    auto to = std::back_inserter(out);
    for (const Int8Figure& row : report.figures) {
        if (!row.error.empty()) {
            fmt::format_to(to, "    {:<12} batch {} {}\n", row.network, row.batch, row.error);
            continue;
        }
        fmt::format_to(to,
                       "    {:<12} batch {} {:>8.3f} ms simulated {:>8.3f} ms on silicon {:>6.3f}; "
                       "unfitted {:>8.3f}, leave-one-out {:>8.3f}\n",
                       row.network, row.batch, row.simulated_ms, row.silicon_ms,
                       row.simulated_ms / row.silicon_ms, row.unfitted_ms, row.predicted_ms);
    }
    out += "    cycles of the groups' commands compared with the estimator's 8-bit tables:\n";
    for (const Int8Law& law : report.laws) fmt::format_to(to, "    {}\n", law.text());
    return out + "\n";
}

std::string to_markdown(const Int8Report& report) {
    std::string text = fmt::format(
        "\n"
        "## (g) Networks in int8 on machine `bm1684-int8`: {}\n"
        "ms of a launch, commands from lists, launch and sync included, compared with the median "
        "published time. {}.\n\n"
        "| network | batch | unfitted ms | fitted ms | predicted ms | silicon ms | fitted / "
        "silicon |\n"
        "|---|--:|--:|--:|--:|--:|--:|\n",
        verdict_of(report), what_is_fitted(report));
    for (const Int8Figure& row : report.figures) {
        if (!row.error.empty()) continue;
        text += fmt::format("| {} | {} | {:.3f} | {:.3f} | {:.3f} | {:.3f} | {:.2f} |\n",
                            row.network, row.batch, row.unfitted_ms, row.simulated_ms,
                            row.predicted_ms, row.silicon_ms, row.simulated_ms / row.silicon_ms);
    }
    text +=
        "\n"
        "Cycles of the groups' commands compared with the estimator's 8-bit tables:\n\n";
    for (const Int8Law& law : report.laws) text += "- " + law.text() + "\n";
    return text;
}

nlohmann::ordered_json to_json(const Int8Report& report) {
    auto rows = nlohmann::ordered_json::array();
    for (const Int8Figure& row : report.figures) {
        nlohmann::ordered_json entry{
            {"network", row.network}, {"batch", row.batch}, {"silicon_ms", row.silicon_ms}};
        if (row.error.empty()) {
            entry["simulated_ms"] = row.simulated_ms;
            entry["unfitted_ms"] = row.unfitted_ms;
            entry["predicted_ms"] = row.predicted_ms;
        } else {
            entry["error"] = row.error;
        }
        rows.push_back(std::move(entry));
    }
    auto laws = nlohmann::ordered_json::array();
    for (const Int8Law& law : report.laws) {
        laws.push_back({{"table", law.table},
                        {"rows", law.rows.size()},
                        {"exact", law.exact()},
                        {"worst_error", law.worst()},
                        {"bar", law.bar},
                        {"met", law.met()}});
    }
    return {{"met", report.met()},
            {"mean_error_bar", Int8Report::kMeanBar},
            {"mean_error", report.mean_error(&Int8Figure::simulated_ms)},
            {"fitted", report.fitted},
            {"fitted_value", report.fitted_value},
            {"rows", std::move(rows)},
            {"laws", std::move(laws)}};
}

}  // namespace okksim::sim::fidelity
