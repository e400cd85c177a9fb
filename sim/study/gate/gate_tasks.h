// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sim/study/gate/gate_file.h"

namespace okksim::sim::gate {

/// Default of the allowed slow-down, as a share.
inline constexpr double kThreshold = 0.02;

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
