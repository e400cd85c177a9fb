// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "isa/command.h"
#include "isa/operands.h"

namespace okksim::sim::why {

/// A possible error in all commands of a source line.
struct LineChange {
    enum class Kind : std::uint8_t {
        kConstant,  ///< `operand` has an unknown constant to find
        kValue,     ///< `operand` has another value
        kSwap,      ///< `operand` and `other` are exchanged
        kOpcode,    ///< another function
        kAddress,   ///< `operand` is `distance` bytes further
        kPart,      ///< words of `operand`, e.g. a shape, have other values
        kLeftOut,   ///< the commands are superfluous
    };
    /// A word of an operand, counted from its first word, and its value.
    struct Part {
        int word = 0;
        std::int32_t value = 0;
    };
    Kind kind = Kind::kLeftOut;
    const isa::OperandInfo* operand = nullptr;
    const isa::OperandInfo* other = nullptr;
    std::uint32_t value = 0;
    std::int64_t distance = 0;
    isa::Opcode opcode{};
    std::vector<Part> parts;  ///< one or two

    /// Returns `command` with the change; kLeftOut does not change it.
    isa::Command of(const isa::Command& command) const;
    /// Describes the change in the line's first command, e.g. "C = 2 instead of 3".
    std::string text(const isa::Command& command) const;
};

/// Addresses that a program uses in lanes and in system memory.
struct KnownAddresses {
    std::vector<std::uint64_t> local, system;

    void add(const isa::Command& command);
};

/// Returns possible errors of a command, likely ones first.
std::vector<LineChange> possible_changes(const isa::Command& command, const KnownAddresses& known);

/// True if an operand is a number of the command's element type.
bool is_number(const isa::OperandInfo& operand);
/// Returns an operand's address.
std::uint64_t address_in(const isa::Command& command, const isa::OperandInfo& operand);

}  // namespace okksim::sim::why
