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
    if (front.size() < 3 || rows[front[0]].objectives.size() != 2) return std::nullopt;
    const auto at = [&](std::size_t i, std::size_t k) {
        return std::log(std::max(rows[front[i]].objectives[k], 1e-300));
    };
    const std::size_t last = front.size() - 1;
    const double width = at(last, 0) - at(0, 0), height = at(last, 1) - at(0, 1);
    std::size_t knee = 0;
    double farthest = 0;
    for (std::size_t i = 1; i < last; ++i) {
        const double distance =
            std::abs((at(i, 0) - at(0, 0)) * height - (at(i, 1) - at(0, 1)) * width);
        if (distance > farthest) {
            farthest = distance;
            knee = i;
        }
    }
    return farthest > 0 ? std::optional(front[knee]) : std::nullopt;
}

}  // namespace okksim::sim::sweep
