// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "isa/command.h"
#include "isa/violation.h"

namespace okksim::isa {

/// Checks a command, or the pseudo-command of a kSequence row, against every restriction of the API
/// reference, the machine's instructions and its memories. `as_function` adds the restrictions of
/// the API function alone (vector-aligned addresses where strides cannot be given). Returns nothing
/// if valid.
std::optional<Violation> check(const Command& command, const MachineShape& machine,
                               bool as_function, SizeLimits& limits);
/// Returns the bits of the ISA extensions that a command uses. A command that rescales its sums
/// uses two.
std::uint32_t features_of(const Command& command);
/// Returns a violation if the machine lacks the instruction. Does not check arguments.
std::optional<Violation> check_feature(const Command& command, const MachineShape& machine);
/// check() that treats every limit of the API reference as a rule.
inline std::optional<Violation> check(const Command& command, const MachineShape& machine,
                                      bool as_function) {
    SizeLimits limits;
    return check(command, machine, as_function, limits);
}

}  // namespace okksim::isa
