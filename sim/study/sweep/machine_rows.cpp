// SPDX-License-Identifier: Apache-2.0
#include "sim/study/sweep/machine_rows.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace okksim::sim::sweep {
namespace {

bool beats(const MachineRow& a, const MachineRow& b) {
    bool better = false;
    for (std::size_t i = 0; i < a.objectives.size(); ++i) {
        if (a.objectives[i] > b.objectives[i]) return false;
        better = better || a.objectives[i] < b.objectives[i];
    }
    return better;
}

}  // namespace

std::string settings_label(const PointSettings& settings) {
    std::string text;
    for (const auto& [path, value] : settings) {
        text += (text.empty() ? "" : " ") + path + "=" + value;
    }
    return text.empty() ? "(the base machine)" : text;
}

std::vector<MachineRow> machine_rows(const PointTable& table) {
    std::vector<MachineRow> rows;
    std::map<PointSettings, std::size_t> places;
    for (const StoredPoint& point : table.points()) {
        const auto [place, is_new] = places.emplace(point.settings, rows.size());
        if (is_new) rows.push_back({point.settings, {}, {}});
        // Chosen points may be the same machine again.
        auto& points = rows[place->second].points;
        const bool is_there = std::ranges::any_of(
            points, [&](const StoredPoint* other) { return other->workload == point.workload; });
        if (!is_there) points.push_back(&point);
    }
    for (MachineRow& row : rows) row.objectives = table.objectives(row.points);
    return rows;
}

std::vector<std::size_t> front_of(const std::vector<MachineRow>& rows) {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (!rows[i].objectives.empty()) order.push_back(i);
    }
    // Whoever comes later in this order cannot beat who came before.
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return rows[i].objectives; });
    std::vector<std::size_t> front;
    for (const std::size_t i : order) {
        const bool is_beaten = std::ranges::any_of(front, [&](std::size_t j) {
            return beats(rows[j], rows[i]) || rows[j].objectives == rows[i].objectives;
        });
        if (!is_beaten) front.push_back(i);
    }
    return front;
}

std::optional<std::size_t> knee_of(const std::vector<MachineRow>& rows,
                                   const std::vector<std::size_t>& front) {
    if (front.size() < 3 || rows[front[0]].objectives.size() < 2) return std::nullopt;
    const std::size_t objectives = rows[front[0]].objectives.size();
    const auto at = [&](std::size_t row, std::size_t k) {
        return std::log(std::max(rows[row].objectives[k], 1e-300));
    };
    // Every objective counts from 0 (its least on the Pareto front) to 1 (its largest). With two
    // objectives the sum is 1 on the line between the two ends.
    std::vector<double> sums(front.size());
    for (std::size_t k = 0; k < objectives; ++k) {
        const auto of = [&](std::size_t row) { return at(row, k); };
        const auto [least, largest] = std::ranges::minmax(front, {}, of);
        const double low = of(least), high = of(largest);
        for (std::size_t i = 0; i < front.size() && high > low; ++i) {
            sums[i] += (of(front[i]) - low) / (high - low);
        }
    }
    const auto knee = std::ranges::min_element(sums) - sums.begin();
    // An end that is best in one objective and worst in all others has this sum.
    const auto end = static_cast<double>(objectives - 1);
    const auto place = static_cast<std::size_t>(knee);
    return sums[place] < end ? std::optional(front[place]) : std::nullopt;
}

}  // namespace okksim::sim::sweep
