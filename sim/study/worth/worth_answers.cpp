// SPDX-License-Identifier: Apache-2.0
#include "sim/study/worth/worth_answers.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "models/energy/energy.h"

namespace okksim::sim::worth {
namespace {

constexpr double PointFigures::*kFigures[] = {&PointFigures::us, &PointFigures::launch_us,
                                              &PointFigures::commands, &PointFigures::dram_bytes,
                                              &PointFigures::energy_j};

/// Returns NaN if a value has no logarithm.
double geometric_mean(const std::vector<double>& values) {
    double sum = 0;
    for (const double value : values) sum += value > 0 ? std::log(value) : std::nan("");
    return std::exp(sum / static_cast<double>(values.size()));
}

PointFigures figures_of(const NetworkRun& run) {
    return {run["us"], run["launch_us"], run.commands(), run.dram_bytes(), run["energy_j"]};
}

std::size_t index_of(const MachineStudy& study, const Point& point) {
    return static_cast<std::size_t>(&point - study.points.data());
}

}  // namespace

WorthRow row_of(const MachineStudy& study, const NetworkWorth& network) {
    WorthRow row{network.name, {}};
    for (const Point& point : study.points) row.points.push_back(figures_of(network.run(point)));
    return row;
}

WorthRow mean_of(const MachineStudy& study, const std::vector<NetworkWorth>& networks) {
    WorthRow mean{kMeanName, std::vector<PointFigures>(study.points.size()), true};
    for (std::size_t i = 0; i < study.points.size(); ++i) {
        for (double PointFigures::*const figure : kFigures) {
            std::vector<double> values;
            for (const NetworkWorth& network : networks) {
                values.push_back(figures_of(network.run(study.points[i])).*figure);
            }
            mean.points[i].*figure = geometric_mean(values);
        }
    }
    return mean;
}

double area_mm2(const Machine& machine) {
    return models::energy::area_of(machine.params).total_mm2.value;
}

namespace {

/// Indices of these points in every study.
constexpr std::size_t kAll = 0;
constexpr std::size_t kNone = 1;

/// Returns the microseconds that the larger machine saves per additional mm2.
double time_per_area(const MachineStudy& study, const WorthRow& row, std::size_t larger,
                     std::size_t smaller) {
    const double mm2 = area_mm2(study.machine_of(study.points[larger])) -
                       area_mm2(study.machine_of(study.points[smaller]));
    return mm2 == 0 ? std::nan("") : (row.points[smaller].us - row.points[larger].us) / mm2;
}

}  // namespace

Difference difference(const MachineStudy& study, const WorthRow& row, std::size_t point) {
    const Point& all = study.points.front();
    Difference result;
    result.ratio = row.points[point].us / row.points.front().us;
    result.us = row.points[point].us - row.points.front().us;
    result.mm2 = area_mm2(study.machine_of(all)) - area_mm2(study.machine_of(study.points[point]));
    result.us_per_mm2 = study.points[point].kind == PointKind::kOnly
                            ? time_per_area(study, row, point, kNone)
                            : time_per_area(study, row, kAll, point);
    return result;
}

std::vector<Interaction> interactions(const MachineStudy& study, const WorthRow& row) {
    const auto longer = [&](const Point& point) {
        return difference(study, row, index_of(study, point)).us;
    };
    std::vector<Interaction> found;
    if (row.is_mean) return found;
    for (const Point& point : study.points) {
        if (point.kind != PointKind::kWithoutPair) continue;
        Interaction pair{point.named, longer(point), 0, 0};
        for (const isa::Feature group : point.named.list()) {
            pair.sum_us += longer(*study.find(PointKind::kWithout, group));
        }
        pair.share = (pair.us - pair.sum_us) / row.points.front().us;
        if (std::abs(pair.share) > kLeastShare) found.push_back(pair);
    }
    std::ranges::stable_sort(found, std::greater<>(),
                             [](const Interaction& pair) { return std::abs(pair.share); });
    return found;
}

std::vector<std::string> kinds_of(const NetworkWorth& network) {
    std::set<std::string> names;
    for (const NetworkRun& run : network.runs) {
        for (const KindUse& use : run.kinds) names.insert(use.kind);
    }
    std::vector<std::string> kinds(names.begin(), names.end());
    // The first machine has all groups.
    const NetworkRun& all = network.runs.front();
    std::ranges::stable_sort(kinds, std::greater<>(),
                             [&](const std::string& kind) { return use_of(all, kind).us; });
    return kinds;
}

KindUse use_of(const NetworkRun& run, const std::string& kind) {
    const auto found = std::ranges::find(run.kinds, kind, &KindUse::kind);
    if (found != run.kinds.end()) return *found;
    KindUse none;
    none.kind = kind;
    return none;
}

GroupSet unused_groups(const MachineStudy& study, const std::vector<NetworkWorth>& networks) {
    GroupSet unused = study.concerned();
    bool has_run = false;
    for (const NetworkWorth& network : networks) {
        const NetworkRun& all = network.run(study.points.front());
        has_run = has_run || all.failure.empty();
        for (const isa::Feature group : study.concerned().list()) {
            if (all.commands_of(group) > 0) unused = unused.without(group);
        }
    }
    return has_run ? unused : GroupSet();
}

}  // namespace okksim::sim::worth
