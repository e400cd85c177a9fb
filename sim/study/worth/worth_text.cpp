// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "isa/base/printable.h"
#include "sim/machine/provenance.h"
#include "sim/study/worth/worth_answers.h"
#include "sim/study/worth/worth_report.h"

namespace okksim::sim::worth {
namespace {

constexpr double kMega = 1e6;
constexpr double kMilli = 1e3;

/// Returns "-" for an unknown value.
std::string cell(double value, int digits) {
    return std::isfinite(value) ? fmt::format("{:.{}f}", value, digits) : "-";
}

std::string key(isa::Feature group) { return isa::feature_info(group).key; }

std::size_t widest(const MachineStudy& study) {
    std::size_t width = 5;
    for (const Point& point : study.points) {
        if (point.kind != PointKind::kWithoutPair) {
            width = std::max(width, point.name(study.all).size() + 2);
        }
    }
    return width;
}

/// True if the results of these groups depend on assumed values.
bool is_assumed(const MachineStudy& study, GroupSet groups) {
    const Machine& all = study.machine_of(study.points.front());
    return std::ranges::any_of(
        groups.list(), [&](isa::Feature group) { return !assumed_values(all, group).empty(); });
}

/// Returns the groups that distinguish the point from its reference: all groups, or none for a
/// point of one group.
GroupSet groups_told(const MachineStudy& study, const Point& point) {
    return point.kind == PointKind::kOnly ? point.named.with_needed()
                                          : study.all.without(point.groups);
}

/// Returns the table of points; pairs have a separate table.
std::string points_table(const MachineStudy& study, const WorthRow& row) {
    const std::size_t width = widest(study);
    std::string text =
        fmt::format("{:<{}} {:>11} {:>8} {:>10} {:>9} {:>10} {:>9} {:>11}\n", "point", width, "us",
                    "x of all", "commands", "DRAM MB", "energy mJ", "area mm2", "us per mm2");
    for (std::size_t i = 0; i < study.points.size(); ++i) {
        const Point& point = study.points[i];
        if (point.kind == PointKind::kWithoutPair) continue;
        const PointFigures& figures = row.points[i];
        const Difference other = difference(study, row, i);
        const bool marked = is_assumed(study, groups_told(study, point));
        text += fmt::format("{:<{}} {:>11} {:>8} {:>10} {:>9} {:>10} {:>9} {:>11}\n",
                            printable(point.name(study.all)) + (marked ? " *" : ""), width,
                            cell(figures.us, 1), cell(other.ratio, 3), cell(figures.commands, 0),
                            cell(figures.dram_bytes / kMega, 2), cell(figures.energy_j * kMilli, 3),
                            cell(area_mm2(study.machine_of(point)), 3), cell(other.us_per_mm2, 1));
    }
    return text;
}

std::string interactions_text(const MachineStudy& study, const WorthRow& row) {
    const std::vector<Interaction> pairs = interactions(study, row);
    if (pairs.empty()) {
        return fmt::format(
            "No interactions: the effects of two groups add up (within {:.0f} % of the time with "
            "all groups).\n",
            kLeastShare * 100);
    }
    std::string text = fmt::format("{:<28} {:>14} {:>14} {:>14} {:>9}\n", "pair that interacts",
                                   "us more: both", "each, summed", "difference", "% of all");
    for (const Interaction& pair : pairs) {
        text += fmt::format("{:<28} {:>14.1f} {:>14.1f} {:>14.1f} {:>9.1f}\n", pair.groups.text(),
                            pair.us, pair.sum_us, pair.us - pair.sum_us, pair.share * 100);
    }
    return text;
}

/// Returns the time by kind of operator with all groups, and the additional time without each.
std::string kinds_table(const MachineStudy& study, const NetworkWorth& network) {
    const std::vector<isa::Feature> groups = study.groups.list();
    std::string text = fmt::format("{:<20} {:>10} {:>11}", "us of operators", "all", "none: +");
    for (const isa::Feature group : groups) text += fmt::format(" {:>15}", "no " + key(group));
    text += "\n";
    const NetworkRun& all = network.run(study.points.front());
    const auto more = [&](PointKind kind, GroupSet named, const std::string& name) {
        const NetworkRun& other = network.run(*study.find(kind, named));
        return other.failure.empty()
                   ? fmt::format("{:+.1f}", use_of(other, name).us - use_of(all, name).us)
                   : std::string("-");
    };
    for (const std::string& name : kinds_of(network)) {
        text += fmt::format("{:<20} {:>10.1f} {:>11}", name, use_of(all, name).us,
                            more(PointKind::kNone, study.groups, name));
        for (const isa::Feature group : groups) {
            text += fmt::format(" {:>15}", more(PointKind::kWithout, group, name));
        }
        text += "\n";
    }
    return text;
}

/// Returns the commands by kind of operator and group, with all groups on.
std::string issued_table(const MachineStudy& study, const NetworkWorth& network) {
    const NetworkRun& all = network.run(study.points.front());
    std::vector<isa::Feature> groups{isa::Feature::kBase};
    for (const isa::Feature group : study.all.list()) groups.push_back(group);
    std::string text = fmt::format("{:<20}", "commands of group");
    for (const isa::Feature group : groups) text += fmt::format(" {:>13}", key(group));
    text += "\n";
    for (const std::string& name : kinds_of(network)) {
        const KindUse use = use_of(all, name);
        text += fmt::format("{:<20}", name);
        for (const isa::Feature group : groups) text += fmt::format(" {:>13}", use.of(group));
        text += "\n";
    }
    return text;
}

std::string failures_text(const MachineStudy& study, const NetworkWorth& network) {
    std::string text;
    for (const Point& point : study.points) {
        const std::string& failure = network.run(point).failure;
        if (!failure.empty()) {
            text += fmt::format("{}: {}\n", printable(point.name(study.all)), printable(failure));
        }
    }
    return text;
}

std::string network_text(const MachineStudy& study, const NetworkWorth& network) {
    const WorthRow row = row_of(study, network);
    const NetworkRun& all = network.run(study.points.front());
    std::string text = printable(network.name) + "\n" + points_table(study, row) +
                       failures_text(study, network) + "\n";
    if (!all.failure.empty()) return text;
    text += interactions_text(study, row) + "\n" + kinds_table(study, network) + "\n" +
            issued_table(study, network);
    for (const isa::Feature group : study.groups.list()) {
        if (all.commands_of(group) > 0) continue;
        text += fmt::format("{}: no command of this group was issued\n", key(group));
    }
    return text + "\n";
}

/// Lists the dependences between groups, and the assumed values.
std::string groups_text(const MachineStudy& study) {
    const Machine& all = study.machine_of(study.points.front());
    std::string text;
    for (const isa::Feature group : study.groups.list()) {
        const GroupSet along = GroupSet(group).with_needing().without(GroupSet(group));
        if (along.empty()) continue;
        text += fmt::format("Turning {} off also turns {} off, which needs it.\n", key(group),
                            along.text());
    }
    for (const isa::Feature group : study.concerned().list()) {
        std::vector<std::string> values;
        for (const AssumedValue& value : assumed_values(all, group)) {
            values.push_back(fmt::format("{} = {} ({})", value.path, value.value, value.source));
        }
        if (values.empty()) continue;
        text += fmt::format("* {} uses assumed values: {}\n", key(group),
                            printable(fmt::format("{}", fmt::join(values, "; "))));
    }
    return text;
}

}  // namespace

std::string worth_text(const MachineStudy& study, const std::vector<NetworkWorth>& networks) {
    std::string text;
    for (const NetworkWorth& network : networks) text += network_text(study, network);
    if (networks.size() > 1) {
        const WorthRow mean = mean_of(study, networks);
        text += fmt::format("{} of {} networks\n", kMeanName, networks.size()) +
                points_table(study, mean) + "\n";
    }
    text += groups_text(study);
    const GroupSet unused = unused_groups(study, networks);
    for (const isa::Feature group : study.groups.list()) {
        if (networks.size() == 1 || !unused.has(group)) continue;  // one network reports it above
        text += fmt::format("{}: no network issued a command of this group\n", key(group));
    }
    return text + provenance_text(study.base) + "\n";
}

}  // namespace okksim::sim::worth
