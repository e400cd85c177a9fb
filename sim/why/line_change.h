// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "isa/command.h"
#include "isa/operands.h"

namespace okksim::sim::why {

/// What may be wrong with all commands of a line.
struct LineChange {
    enum class Kind : std::uint8_t {
        kConstant,  ///< `operand` has a value to be found
        kValue,     ///< `operand` has another value
        kSwap,      ///< `operand` and `other` the other way round
        kOpcode,    ///< another function
        kAddress,   ///< `operand` lies `distance` bytes further
        kPart,      ///< words of `operand`, a shape or the like, have other values
        kLeftOut,   ///< the commands are too many
    };
    /// A word of an operand, counted from its first, and its value.
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

    /// `command` with the change; kLeftOut: as it is.
    isa::Command of(const isa::Command& command) const;
    /// "C = 2 instead of 3", of the line's first command.
    std::string text(const isa::Command& command) const;
};

/// Addresses that a program uses, of lanes and of system memory.
struct KnownAddresses {
    std::vector<std::uint64_t> local, system;

    void add(const isa::Command& command);
};

/// What might be wrong with a command, what is likely first.
std::vector<LineChange> possible_changes(const isa::Command& command, const KnownAddresses& known);

/// Whether an operand is a number of the type of the command's elements.
bool is_number(const isa::OperandInfo& operand);
/// The address that an operand holds.
std::uint64_t address_in(const isa::Command& command, const isa::OperandInfo& operand);

}  // namespace okksim::sim::why
