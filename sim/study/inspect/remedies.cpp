// SPDX-License-Identifier: Apache-2.0
#include "sim/study/inspect/remedies.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "isa/base/errors.h"
#include "isa/base/fault.h"
#include "isa/base/stop_request.h"
#include "models/chip/machine_params.h"
#include "models/mcu/mcu_params.h"

namespace okksim::sim::inspect {
namespace {

/// A change before it is timed.
struct Trial {
    std::string what;
    planning::MachineChange change;
};

/// Returns the setting that doubles a parameter of the machine.
std::string twice(const Machine& machine, const std::string& path) {
    const auto record = std::ranges::find(machine.parameters, path, &ParameterRecord::path);
    OKKSIM_CHECK(record != machine.parameters.end());
    return fmt::format("{}={}", path, 2 * std::stod(record->value));
}

std::vector<Trial> trials_for(const Machine& machine,
                              const std::vector<planning::EmulatedType>& emulated) {
    std::vector<Trial> trials;
    const auto add = [&](const char* what, std::vector<std::string> settings) {
        trials.push_back({what, {"", std::move(settings)}});
    };
    if (const auto native = planning::native_machine(emulated, machine)) {
        trials.push_back({"native instructions for all types", *native});
    }
    if (!machine.params.mcu->fetches_lists()) {
        add("command lists instead of calls", {"mcu.issue=lists"});
    }
    add("twice the DRAM bandwidth", {twice(machine, "dram.read_bytes_per_nanosecond"),
                                     twice(machine, "dram.write_bytes_per_nanosecond")});
    add("twice the local memory", {twice(machine, "chip.local_memory_bytes")});
    add("twice the lanes", {twice(machine, "chip.lanes")});
    return trials;
}

Remedy timed(const Trial& trial, execution::ModelRunOptions run, const MachineMaker& make) {
    Remedy remedy{trial.what, trial.change.flags(), 0, ""};
    try {
        run.machine = make(trial.change.name, trial.change.settings);
        const execution::ModelRun result = execution::run_model(run);
        if (result.report.fault) {
            remedy.failure = result.report.fault->message();
        } else {
            remedy.us = (result.report.end - result.report.start).microseconds();
        }
    } catch (const ConfigError& error) {
        remedy.failure = error.what();
    } catch (const ProgramFault& fault) {
        remedy.failure = fault.what();
    }
    return remedy;
}

}  // namespace

std::vector<Remedy> try_remedies(const execution::ModelRunOptions& run, const MachineMaker& make,
                                 const std::vector<planning::EmulatedType>& emulated,
                                 const std::function<void(std::size_t, std::size_t)>& progress) {
    std::vector<Remedy> remedies;
    const std::vector<Trial> trials = trials_for(run.machine, emulated);
    for (const Trial& trial : trials) {
        if (StopRequest::signal() != 0) break;
        progress(remedies.size(), trials.size());
        remedies.push_back(timed(trial, run, make));
    }
    std::ranges::stable_sort(remedies, [](const Remedy& a, const Remedy& b) {
        if (a.failure.empty() != b.failure.empty()) return a.failure.empty();
        return a.us < b.us;
    });
    return remedies;
}

}  // namespace okksim::sim::inspect
