// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "sim/lab/gate/suite.h"
#include "sim/lab/gate/sweep_suite.h"
#include "sim/machine/machine.h"
#include "sim/study/gate/baseline_files.h"

namespace okksim::sim::gate {

/// Runs one case and writes NAME.func.trace and NAME.time.trace into the folder. Throws
/// ProgramFault if the case does not run.
void record_case(const GateCase& gate_case, const Machine& machine,
                 const std::filesystem::path& folder);

/// Runs a sweep on `machine` varied by its axes, and writes NAME.sweep.trace.
void record_sweep(const GateSweep& sweep, const Machine& machine,
                  const std::filesystem::path& folder);

/// Runs the cases and sweeps whose names match the regular expression (empty: all), each in a
/// separate process. Returns the names of failed ones with the reason. `progress` is called after
/// each. Throws OutputError if a file cannot be written.
std::vector<std::string> record_baseline(
    const Machine& machine, const std::filesystem::path& folder, const std::string& filter,
    int jobs, const std::function<void(std::size_t done, std::size_t all)>& progress);

}  // namespace okksim::sim::gate
