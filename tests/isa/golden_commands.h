// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "isa/command.h"
#include "tests/support/golden_cases.h"

namespace okksim::tests {

/// Returns the command (or pseudo-command of a sequence) of a golden call, with NULL strides
/// replaced by their default layouts. Throws std::runtime_error for functions without a command.
isa::Command golden_command(const OkkFunction& function, const OkkCase& golden,
                            const isa::MachineShape& machine);

/// Name, case and command of every single-call golden case of a function in the table.
struct GoldenCommand {
    std::string id;
    bool untagged = false;
    bool doc_conflict = false;
    bool derived = false;
    isa::Command command;
};
/// Commands of all golden cases; empty when there are no golden vectors.
std::vector<GoldenCommand> golden_commands();

}  // namespace okksim::tests
