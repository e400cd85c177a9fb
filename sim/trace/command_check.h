// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "isa/command.h"
#include "isa/command_port.h"
#include "models/chip/machine_params.h"

namespace okksim::sim::trace {

/// True if a command has a meaning. Every extent must be positive and small enough that sizes fit
/// 64 bits, and system addresses must be in a memory. The API has stricter rules, which kernels
/// that ran on the chip may break.
bool has_meaning(const isa::Command& command, const isa::MachineShape& machine);

/// Returns the error in a command of a trace, or nothing. Errors are malformed records,
/// instructions of groups that the machine lacks, and commands without meaning.
std::optional<std::string> command_problem(const isa::Command& command,
                                           const isa::MachineShape& machine);

/// Returns the error in a load or store of a trace, or nothing: all its bytes must be in one
/// memory.
std::optional<std::string> access_problem(const isa::ProcessorAccess& access,
                                          const isa::MachineShape& machine);

}  // namespace okksim::sim::trace
