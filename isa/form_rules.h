// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "isa/command.h"
#include "isa/violation.h"

namespace okksim::isa {

/// Checks the restrictions that tie several operands of a command together: windows, matrices,
/// operation types with their constants, work tensors. Needs operands that passed OperandChecker.
class FormChecker {
 public:
    FormChecker(const Command& command, const InstructionInfo& info, SizeLimits& limits)
        : command_(command), info_(info), limits_(limits) {}

    /// True when the command is allowed; otherwise the violation can be taken.
    bool run();
    std::optional<Violation> take_violation() { return std::move(violation_); }

 private:
    template <typename FormStruct>
    void form_rules(const FormStruct& form);
    void window_rules(const roles::Windows& windows);
    void constant_rule(const char* name, const roles::FixedConstant& constant);
    bool window_axis(const char* axis, std::int32_t input, std::int32_t pad, std::int32_t kernel,
                     std::int32_t dilation);
    template <typename Listed>
    void listed_rows(const Listed& form);
    template <typename Product>
    void matrix(const Product& form);
    bool matrix_columns(const char* name, std::int32_t cols, std::int32_t cols_per_channel);
    template <typename Scaled>
    void scaled_result(const Scaled& form, ElementType type);
    template <typename Sums>
    void integer_sums(const Sums& form);
    template <typename Sequence>
    void work(const Sequence& form);
    template <typename Fixed>
    void operation(const Fixed& form);
    bool fail(std::string argument, std::string value, std::string rule);
    /// A size beyond a limit of the API reference alone: true when that is no broken rule.
    bool beyond(std::string argument, std::string value, std::string rule);

    const Command& command_;
    const InstructionInfo& info_;
    SizeLimits& limits_;
    std::optional<Violation> violation_;
};

}  // namespace okksim::isa
