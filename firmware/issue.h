// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "firmware/context.h"
#include "isa/command.h"

namespace okksim::firmware {

/// Which arguments of a call were NULL: bit i stands for operand i of the form.
class NullArguments {
 public:
    void next(bool is_null) { bits_ |= static_cast<std::uint32_t>(is_null) << count_++; }
    bool is_null(std::size_t operand) const { return ((bits_ >> operand) & 1u) != 0; }
    bool any() const { return bits_ != 0; }
    void set_null(std::size_t operand, bool is_null) {
        bits_ = (bits_ & ~(1u << operand)) | (static_cast<std::uint32_t>(is_null) << operand);
    }

 private:
    std::uint32_t bits_ = 0;
    unsigned count_ = 0;
};

/// Completes a call of an API function to its command: layouts, padding and steps that were NULL
/// get their documented defaults and, if the context wants them, the vendor's deviations apply.
/// Throws ProgramFault when a pointer that the function needs is NULL or a default layout does not
/// fit the 32-bit strides.
void complete_arguments(isa::Command& command, NullArguments nulls, const Context& context);

/// Completes, checks and issues the call: one command, or the sequence that stands for it. Throws
/// ProgramFault naming the argument when a documented restriction is broken; nothing is issued
/// then.
void issue_call(Context& context, isa::Command command, const NullArguments& nulls);

}  // namespace okksim::firmware
