// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "isa/command.h"

namespace okksim::isa {

/// A documented restriction that a command breaks.
struct Violation {
    std::string argument;  ///< e.g. "shape->c", "dst_addr"
    std::string value;
    std::string rule;             ///< the restriction in words, with the numbers that apply
    bool is_address = false;      ///< the extent leaves a memory (FaultCode::kBadAddress)
    bool is_unsupported = false;  ///< the machine lacks the instruction (FaultCode::kUnsupported)
};

/// Treatment of sizes beyond a limit of the API reference that the model does not need.
struct SizeLimits {
    bool are_rules = true;                ///< true: such a size is a violation
    std::optional<Violation> exceeded{};  ///< otherwise: the first such size of the command
};

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
