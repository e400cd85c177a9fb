// SPDX-License-Identifier: Apache-2.0
#include "firmware/calls/issue.h"

#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "firmware/calls/okk_sequences.h"
#include "firmware/calls/sdk_quirks.h"
#include "firmware/calls/trusted_arguments.h"
#include "firmware/watch/kernel_checks.h"
#include "isa/layout.h"
#include "isa/rules.h"
#include "isa/tensors.h"

namespace okksim::firmware {
namespace {

using isa::Command;
using isa::Dim4;
using isa::Opcode;
using isa::OperandInfo;
using isa::OperandKind;

constexpr std::int64_t kMaximumStride = std::numeric_limits<std::int32_t>::max();

FaultRecord argument_fault(const char* argument, std::string value, std::string rule,
                           std::string advice) {
    FaultRecord record;
    record.code = FaultCode::kBadArgument;
    record.argument = argument;
    record.value = std::move(value);
    record.rule = std::move(rule);
    record.advice = std::move(advice);
    record.unit = "firmware";
    return record;
}

/// Strides in 64 bits; products saturate far above what a stride can hold.
struct WideStride {
    std::int64_t n = 0;
    std::int64_t c = 0;
};

std::int64_t saturating_product(std::int64_t a, std::int64_t b) {
    std::int64_t product = 0;
    return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<std::int64_t>::max()
                                                  : product;
}

using isa::Layout;

/// A layout whose strides do not fit in 32 bits is refused where the stride would be used.
class DefaultLayout {
 public:
    DefaultLayout(const char* argument, const Dim4& shape, Layout layout)
        : argument_(argument), shape_(shape), layout_(layout) {}

    Dim4 local(isa::LocalAddr addr, int element_bits, const isa::MachineShape& machine) const {
        const std::int64_t unit = layout_ == Layout::kAligned
                                      ? isa::line_elements(machine.line_bytes(), element_bits)
                                      : 1;
        const std::int64_t slots =
            isa::channels_per_lane(machine.lane_of(addr), shape_.c, machine.lanes);
        const std::int64_t plane = isa::align_up(std::int64_t{shape_.h} * shape_.w, unit);
        return fitting({saturating_product(plane, slots), plane}, slots);
    }
    Dim4 system() const {
        const std::int64_t plane = std::int64_t{shape_.h} * shape_.w;
        return fitting({saturating_product(plane, shape_.c), plane}, shape_.c);
    }

 private:
    Dim4 fitting(const WideStride& wide, std::int64_t channel_steps) const {
        if ((wide.n > kMaximumStride && shape_.n > 1) ||
            (wide.c > kMaximumStride && channel_steps > 1)) {
            throw ProgramFault(
                argument_fault(argument_, "NULL",
                               "the default layout of this shape needs strides above 2147483647",
                               "split the tensor"));
        }
        const auto fit = [](std::int64_t stride) {
            return stride > kMaximumStride ? 0 : static_cast<std::int32_t>(stride);
        };
        return {fit(wide.n), fit(wide.c), shape_.w, 1};
    }

    const char* argument_;
    Dim4 shape_;
    Layout layout_;
};

bool is_positive(const Dim4& shape) {
    return shape.n > 0 && shape.c > 0 && shape.h > 0 && shape.w > 0;
}

void store(Command& command, const OperandInfo& operand, const Dim4& value) {
    std::memcpy(&command.words[operand.first_word], &value, sizeof value);
}

/// NULL pointers other than strides.
void complete_simple_operands(Command& command, const NullArguments& nulls) {
    const auto operands = command.info().operands();
    for (std::size_t i = 0; i < operands.size(); ++i) {
        if (!nulls.is_null(i)) continue;
        if (operands[i].kind == OperandKind::kShape) {
            throw ProgramFault(
                argument_fault(operands[i].name, "NULL", "a shape is required",
                               "pass the address of a dim4 with the tensor's shape"));
        }
        if (operands[i].kind == OperandKind::kStep) {
            command.words[operands[i].first_word] = 1;
            command.words[operands[i].first_word + 1u] = 1;
        }
        // Padding stays zero: none.
    }
}

bool any_null_stride(std::span<const OperandInfo> operands, const NullArguments& nulls) {
    for (std::size_t i = 0; i < operands.size(); ++i) {
        if (operands[i].kind == OperandKind::kStride && nulls.is_null(i)) return true;
    }
    return false;
}

/// Strides that were NULL get the default layout of the tensor that they belong to.
void complete_strides(Command& command, const NullArguments& nulls,
                      const isa::MachineShape& machine, const SdkQuirk* quirk) {
    const auto operands = command.info().operands();
    if (!any_null_stride(operands, nulls)) return;
    const isa::TensorViews views = isa::tensor_views(command, machine);
    const bool wide_fill = quirk != nullptr && quirk->fills_words;
    for (std::size_t i = 0; i < operands.size(); ++i) {
        if (operands[i].kind != OperandKind::kStride || !nulls.is_null(i)) continue;
        // Addresses come first in every form, so an operand's index is that of its tensor.
        const isa::TensorView& view = views[operands[i].tensor];
        if (!is_positive(view.shape)) continue;
        const DefaultLayout layout(operands[i].name, view.shape, operands[i].null_layout);
        const int bits = wide_fill ? isa::kWordBits : view.element_bytes * 8;
        store(command, operands[i],
              view.local ? layout.local(view.local_addr, bits, machine) : layout.system());
    }
}

/// Completes a call as the API reference says, or as the vendor's kit does.
void complete(Command& command, NullArguments nulls, const isa::MachineShape& machine,
              bool follows_kit) {
    const SdkQuirk* const quirk = follows_kit ? find_sdk_quirk(command.opcode) : nullptr;
    if (quirk != nullptr) apply_sdk_quirk(command, nulls);
    if (!nulls.any()) return;
    complete_simple_operands(command, nulls);
    complete_strides(command, nulls, machine, quirk);
}

/// Reports a call of a function with a deviation, if the vendor's kit gives it another effect.
void report_deviation(Context& context, const Command& called, const NullArguments& nulls,
                      const Command& completed) {
    if (!context.options().report) return;
    const SdkQuirk& quirk = *find_sdk_quirk(called.opcode);
    const bool follows_kit = context.options().sdk_quirks;
    Command other = called;
    complete(other, nulls, context.machine(), !follows_kit);
    if (!differ_in_effect(completed, other, context.machine())) return;
    const std::string function = std::string("okk_") + called.info().name;
    context.report(
        FindingKind::kVendor, "vendor " + function,
        function + ": the vendor's kit " + quirk.deviation + ". This run follows the " +
            (follows_kit ? "kit, and compat.sdk_quirks = false follows the API reference"
                         : "API reference, and compat.sdk_quirks = true follows the kit") +
            ". For equal results, " + quirk.advice);
}

FaultRecord violation_fault(const isa::Violation& violation) {
    FaultRecord record = argument_fault(
        violation.argument.c_str(), violation.value, violation.rule,
        violation.is_unsupported
            ? "use another function, or switch the group on in the machine file"
        : violation.is_address
            ? "keep the whole tensor inside one memory: check address, shape and strides"
            : "pass a value that keeps the rule");
    if (violation.is_address) record.code = FaultCode::kBadAddress;
    if (violation.is_unsupported) record.code = FaultCode::kUnsupported;
    return record;
}

/// A size that works here and on the vendor's models, but that the API reference does not promise.
void report_limit(Context& context, const Command& command, const isa::Violation& size) {
    const std::string function = std::string("okk_") + command.info().name;
    context.report(
        FindingKind::kLimit, function + size.argument,
        function + ": " + size.argument + " = " + size.value +
            " breaks a limit of the API reference: it must be " + size.rule +
            "; the vendor's models accept it, and [compat] strict_limits makes it a fault");
}

/// okk_bdc_scale has two paths: only without strides it adds 0 (SEMANTICS.md 3).
void choose_path(Command& command, const NullArguments& nulls) {
    if (command.opcode != Opcode::bdc_scale) return;
    const auto operands = command.info().operands();
    for (std::size_t i = 0; i < operands.size(); ++i) {
        if (operands[i].kind == OperandKind::kStride && !nulls.is_null(i)) {
            command.opcode = Opcode::bdc_scale_strided;
            return;
        }
    }
}

}  // namespace

void complete_arguments(Command& command, NullArguments nulls, const Context& context) {
    complete(command, nulls, context.machine(), context.options().sdk_quirks);
}

void issue_call(Context& context, Command command, const NullArguments& nulls) {
    // Only a call that the vendor's kit treats differently is kept as it was made.
    std::optional<Command> called;
    if (!TrustedArguments::in_force() && find_sdk_quirk(command.opcode) != nullptr) {
        called = command;
    }
    complete_arguments(command, nulls, context);
    isa::SizeLimits limits{context.options().strict_limits, std::nullopt};
    const auto violation = TrustedArguments::in_force()
                               ? isa::check_feature(command, context.machine())
                               : isa::check(command, context.machine(), true, limits);
    if (violation) throw ProgramFault(violation_fault(*violation));
    if (limits.exceeded) report_limit(context, command, *limits.exceeded);
    if (called) report_deviation(context, *called, nulls, command);
    if (context.checks() != nullptr) context.checks()->called(command, nulls);
    choose_path(command, nulls);
    if (command.info().is_command()) {
        context.issue(command);
    } else {
        issue_sequence(context, command);
    }
}

}  // namespace okksim::firmware
