// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "sim/lab/fidelity/operator_figure.h"

namespace okksim::sim::fidelity {
namespace {

std::size_t won(const std::vector<OperatorFigure>& figures) {
    return static_cast<std::size_t>(std::ranges::count_if(figures, &OperatorFigure::is_won));
}

/// Returns e.g. "63 of 105 won (target 95): NOT met".
std::string verdict_of(const std::vector<OperatorFigure>& figures) {
    const std::size_t count = won(figures);
    return fmt::format("{} of {} won (target {}): {}", count, figures.size(), kWonBar,
                       count >= kWonBar ? "met" : "NOT met");
}

}  // namespace

std::string to_text(const std::vector<OperatorFigure>& figures) {
    std::string out = fmt::format(
        "(h) contest cases as operators, with {} us for launch and sync, compared with the best "
        "hand-written kernel: {}\n",
        OperatorFigure::kLaunchMicroseconds, verdict_of(figures));
    auto to = std::back_inserter(out);
    for (const OperatorFigure& row : figures) {
        if (row.is_won()) continue;
        if (!row.error.empty()) {
            fmt::format_to(to, "    {:<12} {:>3} lost: {}\n", row.op, row.number, row.error);
            continue;
        }
        fmt::format_to(
            to, "    {:<12} {:>3} lost: {:>10.1f} us simulated {:>10.1f} us on silicon {:>6.2f}\n",
            row.op, row.number, row.with_launch(), row.silicon_us,
            row.with_launch() / row.silicon_us);
    }
    return out + "\n";
}

std::string to_markdown(const std::vector<OperatorFigure>& figures) {
    std::string text = fmt::format(
        "\n"
        "## (h) Operators compared with hand-written kernels: {}\n"
        "Each contest case is an operator of a graph, compared with the best kernel that people "
        "wrote for the case. Feature maps are channel first, every\n"
        "step starts on idle engines, commands are issued by calls, and launch and sync add {} "
        "us.\n\n"
        "| operator | case | simulated us | silicon us | ratio | |\n"
        "|---|--:|--:|--:|--:|---|\n",
        verdict_of(figures), OperatorFigure::kLaunchMicroseconds);
    for (const OperatorFigure& row : figures) {
        if (!row.error.empty()) {
            text += fmt::format("| {} | {} | | {:g} | | lost: {} |\n", row.op, row.number,
                                row.silicon_us, row.error);
            continue;
        }
        text += fmt::format("| {} | {} | {:.1f} | {:g} | {:.2f} | {} |\n", row.op, row.number,
                            row.with_launch(), row.silicon_us, row.with_launch() / row.silicon_us,
                            row.is_won() ? "won" : "lost");
    }
    return text;
}

nlohmann::ordered_json to_json(const std::vector<OperatorFigure>& figures) {
    auto rows = nlohmann::ordered_json::array();
    for (const OperatorFigure& row : figures) {
        nlohmann::ordered_json entry{{"op", row.op},
                                     {"case", row.number},
                                     {"silicon_us", row.silicon_us},
                                     {"simulated_us", nullptr},
                                     {"won", row.is_won()}};
        if (row.error.empty()) {
            entry["simulated_us"] = row.simulated_us;
        } else {
            entry["error"] = row.error;
        }
        rows.push_back(std::move(entry));
    }
    return {{"won", won(figures)},
            {"bar", kWonBar},
            {"launch_us", OperatorFigure::kLaunchMicroseconds},
            {"rows", rows}};
}

}  // namespace okksim::sim::fidelity
