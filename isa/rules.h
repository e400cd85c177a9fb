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

/// What becomes of sizes beyond a limit of the API reference that the model does not need.
struct SizeLimits {
    bool are_rules = true;                ///< they break a rule like any other
    std::optional<Violation> exceeded{};  ///< else: the first such size of the command
};

/// Checks a command, or the pseudo-command of a kSequence row, against every restriction of the API
/// reference, the machine's instructions and its memories. `as_function`: also the restrictions
/// that only the API function has (addresses aligned to a vector where strides cannot be given).
/// Nothing when valid.
std::optional<Violation> check(const Command& command, const MachineShape& machine,
                               bool as_function, SizeLimits& limits);
/// Bits of the groups of instructions that a command is of: of one that scales its sums on their
/// way two.
std::uint32_t features_of(const Command& command);
/// Whether the machine has the instruction at all; arguments are not looked at. Nothing when it
/// has.
std::optional<Violation> check_feature(const Command& command, const MachineShape& machine);
/// check() with every limit of the API reference a rule.
inline std::optional<Violation> check(const Command& command, const MachineShape& machine,
                                      bool as_function) {
    SizeLimits limits;
    return check(command, machine, as_function, limits);
}

}  // namespace okksim::isa
