// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "sim/trace/kept_commands.h"

namespace okksim::sim::fidelity {

/// What one recorded kernel asks of a machine, kept in memory: timing it on many machines costs no
/// reading. Machines must have the shape of the one that it was read for.
class KernelCommands {
 public:
    /// ConfigError when the call trace is damaged or meant for another machine.
    KernelCommands(const std::filesystem::path& call_trace, const Machine& machine);

    /// Host launch and sync included.
    double microseconds(const Machine& machine) const { return kept_.microseconds(machine); }

 private:
    trace::KeptCommands kept_;
};

}  // namespace okksim::sim::fidelity
