// SPDX-License-Identifier: Apache-2.0
#include "sim/study/gate/gate_tasks.h"

#include <fmt/format.h>

#include <algorithm>

#include "isa/base/errors.h"
#include "sim/study/sweep/sweep_spec.h"
#include "sim/trace/replay.h"

namespace okksim::sim::gate {
namespace {

namespace fs = std::filesystem;

/// Returns the name of a machine in the name of a task.
std::string short_name(const std::string& machine) { return fs::path(machine).stem().string(); }

}  // namespace

void add_tasks(const GateWorkload& workload, const MachineTexts& own, const GateDefaults& defaults,
               const std::string& where, std::vector<GateTask>& tasks) {
    std::vector<std::string> machines =
        own.machines.empty() ? defaults.machines.machines : own.machines;
    const bool is_several = machines.size() > 1;
    std::vector<std::string> settings = defaults.machines.settings;
    settings.insert(settings.end(), own.settings.begin(), own.settings.end());
    settings.insert(settings.end(), defaults.settings.begin(), defaults.settings.end());
    try {
        if (machines.empty() && !workload.what.trace.empty()) {
            trace::ReplayOptions options;
            options.settings = settings;
            tasks.push_back(
                {workload.name, workload, trace::replay_machine(workload.what.trace, options)});
            return;
        }
        if (machines.empty()) machines = {"bm1684"};
        for (const std::string& machine : machines) {
            tasks.push_back({is_several ? workload.name + "@" + short_name(machine) : workload.name,
                             workload, load_machine(machine, settings)});
        }
    } catch (const ConfigError& error) {
        throw ConfigError(where, error.what());
    }
}

void add_sweep_tasks(const GateWorkload& workload, const GateDefaults& defaults,
                     std::vector<GateTask>& tasks) {
    constexpr std::uint64_t kMostPoints = 1000;
    const sweep::SweepSpec spec = sweep::read_sweep(workload.sweep);
    if (spec.sampling == sweep::Sampling::kSearch || spec.points > kMostPoints) {
        throw ConfigError(
            workload.sweep.string(),
            fmt::format("a gate runs every point of a sweep: choose another mode than "
                        "\"search\", and at most {} points",
                        kMostPoints));
    }
    std::vector<std::string> settings = spec.settings;
    settings.insert(settings.end(), defaults.settings.begin(), defaults.settings.end());
    const Machine machine = load_machine(spec.machine, settings);
    for (const sweep::WorkloadSpec& part : spec.workloads) {
        GateTask task{workload.name, workload, machine};
        task.workload.what = part;
        if (spec.workloads.size() > 1) {
            task.name += "-" + part.name;
            std::ranges::replace_if(
                task.name, [](char c) { return c == ' ' || c == '/' || c == '='; }, '_');
        }
        tasks.push_back(std::move(task));
    }
}

}  // namespace okksim::sim::gate
