// SPDX-License-Identifier: Apache-2.0
#include "sim/study/sweep/point_metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "isa/base/closest_word.h"
#include "isa/base/errors.h"
#include "isa/base/printable.h"
#include "sim/study/sweep/workload_variants.h"

namespace okksim::sim::sweep {
namespace {

void check_names(const Formula& formula, const std::string& what,
                 const std::vector<std::string>& known, const ParameterNames& names) {
    for (const std::string& name : formula.names()) {
        if (std::ranges::find(known, name) != known.end() || names.path(name)) continue;
        throw ConfigError(what, fmt::format("{} is no metric or parameter{}", printable(name),
                                            did_you_mean(name, known)));
    }
}

}  // namespace

PointMetrics::PointMetrics(const SweepSpec& spec, const Machine& base)
    : workloads_(spec.workloads.size()), objectives_(spec.objectives), names_(base) {
    for (const WorkloadSpec& workload : spec.workloads) variants_[workload.name] = workload.variant;
    std::vector<std::string> known = figure_names();
    for (const auto& [name, text] : spec.metrics) {
        const std::string where = spec.where("metrics." + name);
        if (std::ranges::find(known, name) != known.end() || names_.path(name)) {
            throw ConfigError(where,
                              "is the name of a built-in metric or parameter; choose another name");
        }
        Formula formula(text, where);
        check_names(formula, where, known, names_);
        metrics_.emplace_back(name, std::move(formula));
        known.push_back(name);
    }
    for (const std::string& objective : spec.objectives) {
        const std::string where = spec.where("objectives");
        check_names(Formula(objective, where), where, known, names_);
    }
    for (const auto& [metric, levels] : spec.levels) {
        const std::string where = spec.where("levels." + metric);
        check_names(Formula(metric, where), where, known, names_);
    }
}

std::vector<std::string> PointMetrics::names() const {
    std::vector<std::string> names;
    for (const auto& [name, formula] : metrics_) names.push_back(name);
    return names;
}

std::optional<double> PointMetrics::value(const StoredPoint& point, const std::string& name) const {
    for (const auto& [metric, formula] : metrics_) {
        if (metric != name) continue;
        return formula.value([&](const std::string& inner) { return value(point, inner); });
    }
    if (figure_index(name)) return point.result.figures.get(name);
    if (const auto path = names_.path(name)) {
        const auto variant = variants_.find(point.workload);
        const bool is_variant = is_of_workload(*path) && variant != variants_.end();
        return names_.value(name, is_variant ? variant->second : point.settings);
    }
    // The remaining names are formulas of objectives.
    return Formula(name, "objectives").value([&](const std::string& inner) {
        return inner == name ? std::nullopt : value(point, inner);
    });
}

std::optional<double> PointMetrics::mean(const std::vector<const StoredPoint*>& points,
                                         const std::string& objective) const {
    double logs = 0, sum = 0;
    bool positive = true;
    for (const StoredPoint* point : points) {
        const auto number = value(*point, objective);
        if (!number || !point->result.failure.empty()) return std::nullopt;
        positive = positive && *number > 0;
        sum += *number;
        if (*number > 0) logs += std::log(*number);
    }
    const auto count = static_cast<double>(points.size());
    // A single workload keeps its exact value.
    return positive && points.size() > 1 ? std::exp(logs / count) : sum / count;
}

std::vector<double> PointMetrics::objectives(const std::vector<const StoredPoint*>& points,
                                             std::size_t workloads) const {
    std::vector<double> means;
    if (points.empty() || points.size() != workloads) return means;
    for (const std::string& objective : objectives_) {
        const auto value = mean(points, objective);
        if (!value) return {};
        means.push_back(*value);
    }
    return means;
}

}  // namespace okksim::sim::sweep
