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

/// A gate as its file describes it.
struct GateFile {
    std::filesystem::path file;
    std::filesystem::path base;  ///< folder of the baseline
    double threshold = 0;        ///< default of the workloads
    std::vector<GateTask> tasks;
};

/// Reads a gate. `settings` change the machine of every workload further (--set). ConfigError names
/// file, line, column, key and rule, and the nearest name of an unknown key.
GateFile read_gate(const std::filesystem::path& file, const std::vector<std::string>& settings);

/// Returns "2%", "2" or "0.02" as a share. ConfigError with `where` for other texts.
double share_from(const std::string& text, const std::string& where);

}  // namespace okksim::sim::gate
