// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "isa/rules.h"

namespace okksim::isa {

/// Checks the restrictions that tie several operands of a command together: windows, matrices,
/// operation types with their constants, work tensors. Needs operands that passed OperandChecker.
class FormChecker {
 public:
    FormChecker(const Command& command, const InstructionInfo& info)
        : command_(command), info_(info) {}

    /// True when the command is allowed; otherwise the violation can be taken.
    bool run();
    std::optional<Violation> take_violation() { return std::move(violation_); }

 private:
    template <typename Window>
    bool window(const Window& form);
    bool window_axis(const char* axis, std::int32_t input, std::int32_t pad, std::int32_t kernel,
                     std::int32_t dilation);
    bool matrix(const MatrixMultiply& form);
    bool matrix_columns(const char* name, std::int32_t cols, std::int32_t cols_per_channel);
    template <typename Sequence>
    bool work(const Sequence& form, bool source_too);
    bool operation(OpType type, bool is_origin_dst_signed = false);
    template <typename Fixed>
    bool operation_and_constant(const Fixed& form);
    bool constant(std::int32_t value, FixedType type);
    bool fail(std::string argument, std::string value, std::string rule);

    const Command& command_;
    const InstructionInfo& info_;
    std::optional<Violation> violation_;
};

}  // namespace okksim::isa
