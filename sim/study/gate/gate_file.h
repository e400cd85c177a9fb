// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sim/study/gate/gate_tasks.h"

namespace okksim::sim::gate {

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
