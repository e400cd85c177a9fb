// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "sim/trace/kept_commands.h"

namespace okksim::sim::fidelity {

/// The commands of one recorded kernel in memory, to time it on many machines without reading it
/// again. Machines must have the shape of the machine that it was read for.
class KernelCommands {
 public:
    /// Throws ConfigError if the call trace is damaged or for another machine.
    KernelCommands(const std::filesystem::path& call_trace, const Machine& machine);

    /// Returns the time, including host launch and sync.
    double microseconds(const Machine& machine) const { return kept_.microseconds(machine); }

 private:
    trace::KeptCommands kept_;
};

}  // namespace okksim::sim::fidelity
