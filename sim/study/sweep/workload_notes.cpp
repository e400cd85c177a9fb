// SPDX-License-Identifier: Apache-2.0
#include "sim/study/sweep/workload_notes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "isa/base/errors.h"
#include "sim/planning/emulated_types.h"
#include "sim/study/sweep/workload.h"

namespace okksim::sim::sweep {
namespace {

/// Returns a machine for every set of instructions that the rows have, and its number of rows.
std::map<std::vector<std::string>, std::size_t> instruction_sets(
    const std::vector<MachineRow>& rows) {
    std::map<std::vector<std::string>, std::size_t> sets;
    for (const MachineRow& row : rows) {
        std::vector<std::string> features;
        for (const auto& [path, value] : row.settings) {
            if (path.starts_with("features.")) features.push_back(path + '=' + value);
        }
        ++sets[features];
    }
    return sets;
}

/// Adds the operators to those of the same type.
void add_type(const planning::EmulatedType& type, std::vector<planning::EmulatedType>& types) {
    const auto known = std::ranges::find(types, type.type, &planning::EmulatedType::type);
    if (known == types.end()) {
        types.push_back(type);
    } else {
        known->operators += type.operators;
    }
}

}  // namespace

std::string emulation_notes(const PointTable& table, const std::vector<MachineRow>& rows) {
    const MachineFamily family =
        MachineFamily::of_text(dump_machine(table.base()), table.base().name);
    std::map<std::string, graph::Graph> graphs;
    for (const WorkloadSpec& workload : table.spec().workloads) {
        if (workload.zoo.empty() || zoo_precision(workload) == "fp32") continue;
        try {
            graphs.emplace(workload.name, zoo_graph(workload));
        } catch (const ConfigError&) {
            // The options of the network are wrong: its points have failed with the reason.
        }
    }
    std::string all;
    if (graphs.empty()) return all;
    for (const auto& [features, machines] : instruction_sets(rows)) {
        std::vector<std::string> workloads;
        std::vector<planning::EmulatedType> types;
        try {
            const Machine machine = family.with(features);
            for (const auto& [workload, graph] : graphs) {
                const auto own = planning::emulated_types(graph, machine);
                if (!own.empty()) workloads.push_back(workload);
                for (const planning::EmulatedType& type : own) add_type(type, types);
            }
            if (types.empty()) continue;
            all += fmt::format("{} on {} of {} machines: {}", fmt::join(workloads, ", "), machines,
                               rows.size(), planning::emulation_text(types, machine));
        } catch (const ConfigError&) {
            // The machine is wrong: its points have failed with the reason.
        }
    }
    return all;
}

}  // namespace okksim::sim::sweep
