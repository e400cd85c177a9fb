// SPDX-License-Identifier: Apache-2.0
#include "sim/study/sweep/point_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "isa/base/errors.h"
#include "isa/base/printable.h"
#include "sim/machine/provenance.h"

namespace okksim::sim::sweep {
namespace {

using Json = nlohmann::ordered_json;

const StoredPoint& point_at(const PointTable& table, std::uint64_t number) {
    const auto found = std::ranges::find(table.points(), number, &StoredPoint::number);
    const std::string where = fmt::format("--compare: point {}", number);
    if (found == table.points().end()) {
        throw ConfigError(where,
                          "is not in the store; `--csv` lists the points with their numbers");
    }
    if (!found->result.failure.empty()) {
        throw ConfigError(where, "failed: " + printable(found->result.failure));
    }
    return *found;
}

std::string label(const StoredPoint& point) {
    std::string text = printable(point.workload);
    for (const auto& [path, value] : point.settings) {
        text += fmt::format(" {}={}", path, printable(value));
    }
    return text;
}

std::string line(const FigureChange& change, const std::string& name, double whole) {
    const double by = whole == 0 ? 0 : 100.0 * change.difference() / whole;
    // A change that prints as zero must not print a sign.
    const double shown = std::abs(by) < 0.05 ? 0 : by;
    return fmt::format("  {:<32} {:>14.6g} {:>14.6g} {:>+14.6g} {:>+8.1f}\n", name, change.before,
                       change.after, change.difference(), shown);
}

Json change_json(const FigureChange& change) {
    return {{"name", change.name},
            {"before", change.before},
            {"after", change.after},
            {"difference", change.difference()}};
}

}  // namespace

PointComparison compare_points(const PointTable& table, std::uint64_t before, std::uint64_t after) {
    PointComparison comparison{&point_at(table, before), &point_at(table, after), {}, {}};
    const auto change = [&](const std::string& name) -> std::optional<FigureChange> {
        const auto was = table.value(*comparison.before, name);
        const auto is = table.value(*comparison.after, name);
        if (!was || !is) return std::nullopt;
        return FigureChange{name, *was, *is};
    };
    for (const std::string& name : table.metrics()) {
        if (is_cause_figure(name)) continue;
        if (const auto figure = change(name)) comparison.figures.push_back(*figure);
    }
    for (const std::vector<std::string>& causes : cause_figures()) {
        std::vector<FigureChange> changes;
        for (const std::string& name : causes) {
            const auto cause = change(name);
            if (cause && (cause->before != 0 || cause->after != 0)) changes.push_back(*cause);
        }
        std::ranges::stable_sort(changes, std::greater<>(), [](const FigureChange& cause) {
            return std::abs(cause.difference());
        });
        if (!changes.empty()) comparison.engines.push_back(std::move(changes));
    }
    return comparison;
}

std::string comparison_text(const PointTable& table, const PointComparison& comparison) {
    std::string text =
        fmt::format("{}: from point {} to point {}\n  {}: {}\n  {}: {}\n\n", table.spec().name,
                    comparison.before->number, comparison.after->number, comparison.before->number,
                    label(*comparison.before), comparison.after->number, label(*comparison.after));
    text += fmt::format("  {:<32} {:>14} {:>14} {:>14} {:>8}\n", "metric",
                        fmt::format("point {}", comparison.before->number),
                        fmt::format("point {}", comparison.after->number), "change", "%");
    for (const FigureChange& figure : comparison.figures) {
        if (figure.before == 0 && figure.after == 0) continue;
        text += line(figure, figure.name, figure.before);
    }
    text += "\nTime of each engine by cause, launch and sync included (% of its time before)\n";
    for (const std::vector<FigureChange>& causes : comparison.engines) {
        double whole = 0;
        for (const FigureChange& cause : causes) whole += cause.before;
        for (const FigureChange& cause : causes) text += line(cause, cause.name, whole);
        text += "\n";
    }
    return text;
}

std::string comparison_json(const PointTable& table, const PointComparison& comparison) {
    Json json{{"sweep", table.spec().name},
              {"before", point_json(*comparison.before)},
              {"after", point_json(*comparison.after)},
              {"figures", Json::array()},
              {"causes", Json::array()}};
    for (const FigureChange& figure : comparison.figures) {
        json["figures"].push_back(change_json(figure));
    }
    for (const auto& causes : comparison.engines) {
        for (const FigureChange& cause : causes) json["causes"].push_back(change_json(cause));
    }
    add_provenance(json, table.base());
    return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace okksim::sim::sweep
