// SPDX-License-Identifier: Apache-2.0
#include "sim/study/sweep/workload_notes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

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

}  // namespace

std::string emulation_notes(const PointTable& table, const std::vector<MachineRow>& rows) {
    std::map<std::string, std::pair<std::vector<std::string>, std::size_t>> notes;
    const MachineFamily family =
        MachineFamily::of_text(dump_machine(table.base()), table.base().name);
    for (const WorkloadSpec& workload : table.spec().workloads) {
        if (workload.zoo.empty() || zoo_precision(workload) == "fp32") continue;
        try {
            const graph::Graph graph = zoo_graph(workload);
            for (const auto& [features, machines] : instruction_sets(rows)) {
                const Machine machine = family.with(features);
                std::string text =
                    planning::emulation_text(planning::emulated_types(graph, machine), machine);
                if (text.empty()) continue;
                auto& [workloads, count] = notes[text];
                workloads.push_back(workload.name);
                count = machines;
            }
        } catch (const ConfigError&) {
            // The workload or the machine is wrong: its points have failed with the reason.
        }
    }
    std::string all;
    for (const auto& [text, where] : notes) {
        all += fmt::format("{} ({} of {} machines): {}", fmt::join(where.first, ", "), where.second,
                           rows.size(), text);
    }
    return all;
}

}  // namespace okksim::sim::sweep
