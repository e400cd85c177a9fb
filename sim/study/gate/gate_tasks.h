// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/machine/machine.h"
#include "sim/study/sweep/workload_spec.h"

namespace okksim::sim::gate {

/// Default of the allowed slow-down, as a share.
inline constexpr double kThreshold = 0.02;

/// Upper limits of a workload. A value that equals its limit passes.
struct GateLimits {
    std::optional<double> time_us;  ///< with the host's launch and synchronisation
    std::optional<double> commands;
    std::optional<double> bytes;  ///< of DRAM, read and written
    std::optional<double> energy_uj;
    /// Expected outputs: one .npy file per output in order, or a folder with NAME.npy files.
    std::vector<std::filesystem::path> result;
    double relative = 0;  ///< tolerance of floating-point results
    double absolute = 0;

    bool any() const { return time_us || commands || bytes || energy_uj || !result.empty(); }
};

/// A [[workload]] of a gate. Either `sweep` is set, or `what` is a graph, network, kernel or trace.
struct GateWorkload {
    std::string name;
    sweep::WorkloadSpec what;
    std::filesystem::path sweep;                ///< specification of a sweep
    std::map<std::string, std::string> inputs;  ///< of a graph: .npy files or shapes by name
    int effort = 1;                             ///< -O of a graph
    bool data = false;                          ///< a graph runs with data
    bool packed = false;                        ///< the kernel's argument struct is packed
    bool strict = false;                        ///< warnings are faults
    GateLimits limits;
    double threshold = 0;  ///< allowed slow-down as a share
};

/// A workload on one machine.
struct GateTask {
    std::string name;  ///< "NAME", or "NAME@MACHINE" if the workload has several machines
    GateWorkload workload;
    Machine machine{};  ///< for a sweep: its base machine
};

/// The machines of [gate] or of a workload: "machine" and "set".
struct MachineTexts {
    std::vector<std::string> machines;  ///< empty: the default
    std::vector<std::string> settings;
};

/// The parts of [gate] that workloads use.
struct GateDefaults {
    std::filesystem::path folder;
    MachineTexts machines;
    double threshold = kThreshold;
    bool strict = false;
    std::vector<std::string> settings;  ///< of --set
};

/// Adds a task per machine of a workload. A trace without a machine runs on the recorded one.
/// `where` names the machine's key in messages.
void add_tasks(const GateWorkload& workload, const MachineTexts& own, const GateDefaults& defaults,
               const std::string& where, std::vector<GateTask>& tasks);
/// Adds a task per workload of a sweep's file.
void add_sweep_tasks(const GateWorkload& workload, const GateDefaults& defaults,
                     std::vector<GateTask>& tasks);

}  // namespace okksim::sim::gate
