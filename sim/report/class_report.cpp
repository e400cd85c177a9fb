// SPDX-License-Identifier: Apache-2.0
#include "sim/report/class_report.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "isa/base/printable.h"

namespace okksim::sim::report {
namespace {

/// JSON has no numbers that are not finite.
nlohmann::ordered_json number_or_null(double value) {
    return std::isfinite(value) ? nlohmann::ordered_json(value) : nullptr;
}

}  // namespace

std::string class_text(const std::vector<execution::ClassTable>& tables) {
    std::string text;
    for (const execution::ClassTable& table : tables) {
        text += fmt::format("best classes of {} ({})\n{:>4} {:>11} {:>12} {:>6}  label\n",
                            printable(table.output), table.meaning, "rank", "probability", "value",
                            "class");
        int rank = 0;
        for (const execution::BestClass& best : table.best) {
            const std::string share =
                best.probability ? fmt::format("{:.2f} %", *best.probability * 100) : "-";
            text += fmt::format("{:>4} {:>11} {:>12.6g} {:>6}  {}\n", ++rank, share, best.value,
                                best.number, best.label.empty() ? "-" : printable(best.label));
        }
    }
    return text;
}

nlohmann::ordered_json class_json(const std::vector<execution::ClassTable>& tables) {
    auto json = nlohmann::ordered_json::array();
    for (const execution::ClassTable& table : tables) {
        auto best = nlohmann::ordered_json::array();
        for (const execution::BestClass& each : table.best) {
            best.push_back({{"class", each.number},
                            {"label", each.label},
                            {"value", number_or_null(each.value)},
                            {"probability", each.probability ? number_or_null(*each.probability)
                                                             : nlohmann::ordered_json()}});
        }
        json.push_back({{"output", table.output}, {"meaning", table.meaning}, {"best", best}});
    }
    return json;
}

}  // namespace okksim::sim::report
