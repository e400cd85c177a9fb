// SPDX-License-Identifier: Apache-2.0
#include "sim/study/sweep/workload_variants.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "isa/base/errors.h"
#include "isa/base/printable.h"

namespace okksim::sim::sweep {
namespace {

/// Returns "int8" for a precision and a bundle, and "batch=4" for a number.
std::string variant_name(const Axis& axis, const AxisValue& value) {
    const bool is_clear = value.settings.size() != 1 || axis.name == "zoo.precision" ||
                          axis.name != value.settings[0].first;
    return is_clear ? value.text : axis.name.substr(axis.name.find('.') + 1) + "=" + value.text;
}

/// ConfigError if the axis cannot make variants.
void check_axis(const Axis& axis, const std::vector<WorkloadSpec>& workloads,
                const std::string& where) {
    const std::string name = printable(axis.name);
    if (!std::ranges::all_of(axis.parameters(), is_of_workload)) {
        throw ConfigError(where, fmt::format("the bundle {} varies networks (zoo.*) and machines; "
                                             "give each of them a separate axis",
                                             name));
    }
    if (!axis.is_list()) {
        throw ConfigError(where,
                          fmt::format("{} is a property of networks, whose values make variants "
                                      "of each network; give a list: values = [...]",
                                      name));
    }
    if (std::ranges::all_of(workloads, [](const auto& each) { return each.zoo.empty(); })) {
        throw ConfigError(where, fmt::format("{} varies networks of the zoo, and no workload has "
                                             "zoo = \"NAME\"; remove the axis",
                                             name));
    }
}

std::vector<WorkloadSpec> variants_of(const WorkloadSpec& workload, const Axis& axis) {
    std::vector<WorkloadSpec> variants;
    if (workload.zoo.empty()) return {workload};
    for (const AxisValue& value : axis.values) {
        WorkloadSpec variant = workload;
        variant.name += " " + variant_name(axis, value);
        for (const auto& setting : value.settings) variant.variant.push_back(setting);
        variants.push_back(std::move(variant));
    }
    return variants;
}

}  // namespace

bool is_of_workload(const std::string& path) { return path.starts_with("zoo."); }

void make_variants(std::vector<WorkloadSpec>& workloads, std::vector<Axis>& axes,
                   const std::string& where) {
    std::vector<Axis> machine_axes;
    for (Axis& axis : axes) {
        if (std::ranges::none_of(axis.parameters(), is_of_workload)) {
            machine_axes.push_back(std::move(axis));
            continue;
        }
        check_axis(axis, workloads, where);
        std::vector<WorkloadSpec> all;
        for (const WorkloadSpec& workload : workloads) {
            for (WorkloadSpec& variant : variants_of(workload, axis)) {
                all.push_back(std::move(variant));
            }
        }
        workloads = std::move(all);
    }
    axes = std::move(machine_axes);
    std::set<std::string> names;
    for (const WorkloadSpec& workload : workloads) {
        if (names.insert(workload.name).second) continue;
        throw ConfigError(where, fmt::format("two variants of workloads have the name \"{}\"; "
                                             "give each value once",
                                             printable(workload.name)));
    }
}

void name_variant(const std::vector<WorkloadSpec>& workloads, std::string& workload,
                  PointSettings& settings) {
    PointSettings own, machine;
    for (auto& setting : settings) {
        (is_of_workload(setting.first) ? own : machine).push_back(setting);
    }
    if (own.empty()) return;
    settings = std::move(machine);
    for (const WorkloadSpec& variant : workloads) {
        if (variant.variant != own || !variant.name.starts_with(workload + " ")) continue;
        workload = variant.name;
        return;
    }
}

}  // namespace okksim::sim::sweep
