// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "isa/command.h"
#include "isa/violation.h"

namespace okksim::isa {

/// Checks the declared properties of every operand of a command, one operand at a time: ranges,
/// shapes, enumerators, flags, alignment and start lanes. First part of check().
class OperandChecker {
 public:
    OperandChecker(const Command& command, const InstructionInfo& info, const MachineShape& machine,
                   bool as_function, SizeLimits& limits);

    /// True when all operands are allowed; otherwise the violation can be taken.
    bool run();
    std::optional<Violation> take_violation() { return std::move(violation_); }

 private:
    bool operand(const OperandInfo& operand);
    bool local_address(const OperandInfo& operand);
    std::uint32_t alignment_of(const OperandInfo& operand) const;
    bool system_address(const OperandInfo& operand);
    bool shape(const OperandInfo& operand);
    bool stride(const OperandInfo& operand);
    bool ranges(const OperandInfo& operand, const char* const* members, int count);
    bool bits(const OperandInfo& operand);
    bool flag(const OperandInfo& operand);
    bool op_type(const OperandInfo& operand);
    bool mul_type(const OperandInfo& operand);
    bool element_type(const OperandInfo& operand);
    bool in_range(const OperandInfo& operand, const char* member, std::int64_t value,
                  std::int64_t low, std::int64_t high);
    bool is_size(const OperandInfo& operand, const char* member, std::int64_t value,
                 std::int64_t low, std::int64_t high);
    bool fail(const OperandInfo& operand, std::string value, std::string rule,
              bool is_address = false);

    std::int32_t word(const OperandInfo& operand, int index = 0) const {
        return static_cast<std::int32_t>(
            command_.words[static_cast<std::size_t>(operand.first_word + index)]);
    }

    const Command& command_;
    const InstructionInfo& info_;
    const MachineShape& machine_;
    bool as_function_;
    SizeLimits& limits_;
    const OperandInfo* first_local_ = nullptr;
    std::int32_t first_lane_ = 0;
    std::optional<Violation> violation_;
};

}  // namespace okksim::isa
