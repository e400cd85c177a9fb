// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sim/execution/model_run.h"
#include "sim/planning/emulated_types.h"

namespace okksim::sim::inspect {

/// A change that may make a model faster, and its simulated time.
struct Remedy {
    std::string what;   ///< "twice the DRAM bandwidth"
    std::string flags;  ///< "--set dram.read_bytes_per_nanosecond=64 ..."
    double us = 0;
    std::string failure;  ///< reason why there is no time; empty otherwise
};

/// Returns a machine with more settings: the user's machine, or the named one if `name` is not
/// empty.
using MachineMaker =
    std::function<Machine(const std::string& name, const std::vector<std::string>& settings)>;

/// Plans and times the model with each change alone, the fastest first. `run` has the model, its
/// machine and its options; the times are without data. `emulated` has the types that the machine
/// emulates. `progress` is called before each of them. After a signal, the list ends.
std::vector<Remedy> try_remedies(const execution::ModelRunOptions& run, const MachineMaker& make,
                                 const std::vector<planning::EmulatedType>& emulated,
                                 const std::function<void(std::size_t, std::size_t)>& progress);

}  // namespace okksim::sim::inspect
