// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "isa/command.h"
#include "isa/command_port.h"
#include "models/chip/machine_params.h"

namespace okksim::sim::trace {

/// Whether a command says what is to be moved and computed: every extent is positive and within
/// bounds that keep sizes in 64 bits, and system addresses lie in a memory. Less than the rules of
/// the API: kernels that ran on the chip may break those.
bool has_meaning(const isa::Command& command, const isa::MachineShape& machine);

/// What is wrong with a command of a trace, or nothing: malformed records, instructions of groups
/// that the machine lacks, and those without meaning.
std::optional<std::string> command_problem(const isa::Command& command,
                                           const isa::MachineShape& machine);

/// What is wrong with a load or store of a trace: its bytes must lie inside one memory.
std::optional<std::string> access_problem(const isa::ProcessorAccess& access,
                                          const isa::MachineShape& machine);

}  // namespace okksim::sim::trace
