// SPDX-License-Identifier: Apache-2.0
#include "firmware/issue.h"

#include <cstring>
#include <limits>
#include <string>
#include <utility>

#include "firmware/okk_sequences.h"
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

enum class Layout { kAligned, kCompact, kContinuous };

/// A layout whose strides do not fit in 32 bits is refused where the stride would be used.
class DefaultLayout {
 public:
    DefaultLayout(const char* argument, const Dim4& shape, Layout layout)
        : argument_(argument), shape_(shape), layout_(layout) {}

    Dim4 local(std::int32_t start_lane, int element_bits, std::int32_t lanes) const {
        const std::int64_t unit =
            layout_ == Layout::kAligned ? isa::kAlignmentBytes * 8 / element_bits : 1;
        const std::int64_t slots = isa::channels_per_lane(start_lane, shape_.c, lanes);
        const std::int64_t plane = isa::align_up(std::int64_t{shape_.h} * shape_.w, unit);
        return narrow({saturating_product(plane, slots), plane}, slots);
    }
    Dim4 system() const {
        const std::int64_t plane = std::int64_t{shape_.h} * shape_.w;
        return narrow({saturating_product(plane, shape_.c), plane}, shape_.c);
    }

 private:
    Dim4 narrow(const WideStride& wide, std::int64_t channel_steps) const {
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

Dim4 load(const Command& command, const OperandInfo& operand) {
    Dim4 value;
    std::memcpy(static_cast<void*>(&value), &command.words[operand.first_word], sizeof value);
    return value;
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

/// Layouts of a convolution's input and 2IC weights; their shapes are not operands.
void complete_convolution(Command& command, const NullArguments& nulls,
                          const isa::MachineShape& machine) {
    auto form = command.as<isa::Convolution>();
    const auto operands = command.info().operands();
    const bool valid = is_positive(form.input_shape) && form.output_c > 0 && form.kernel_h > 0 &&
                       form.kernel_w > 0;
    for (std::size_t i = 0; i < operands.size(); ++i) {
        if (!valid || !nulls.is_null(i) || operands[i].kind != OperandKind::kStride) continue;
        if (std::strcmp(operands[i].name, "input_stride") == 0) {
            form.input_stride = DefaultLayout(operands[i].name, form.input_shape, Layout::kAligned)
                                    .local(machine.lane_of(form.input_addr), 32, machine.lanes);
        } else {
            const Dim4 weight = isa::weight_2ic_shape(form.input_shape.c, form.output_c,
                                                      form.kernel_h, form.kernel_w);
            form.kernel_stride = DefaultLayout(operands[i].name, weight, Layout::kCompact)
                                     .local(machine.lane_of(form.weight_addr), 64, machine.lanes);
        }
    }
    command = Command::make(command.opcode, form);
}

/// Strides of all other forms: the k-th stride belongs to the k-th tensor.
void complete_strides(Command& command, const NullArguments& nulls, const Context& context) {
    const isa::MachineShape& machine = context.machine();
    const auto operands = command.info().operands();
    const isa::TensorViews views = isa::tensor_views(command, machine);
    // The vendor's kit takes the layout of 32-bit elements for fills of narrower ones.
    const bool wide_fill =
        context.options().sdk_quirks && (command.opcode == Opcode::gdma_16bit_set_C_local ||
                                         command.opcode == Opcode::gdma_8bit_set_C_local);
    int tensor = 0;
    for (std::size_t i = 0; i < operands.size(); ++i) {
        if (operands[i].kind != OperandKind::kStride) continue;
        const isa::TensorView& view = views[tensor++];
        if (!nulls.is_null(i) || !is_positive(view.shape)) continue;
        const DefaultLayout layout(operands[i].name, view.shape,
                                   view.local ? Layout::kAligned : Layout::kContinuous);
        const int bits = wide_fill ? 32 : view.element_bytes * 8;
        store(command, operands[i],
              view.local ? layout.local(machine.lane_of(view.local_addr), bits, machine.lanes)
                         : layout.system());
    }
}

/// Where the vendor's kit contradicts the API reference, before layouts are completed.
void apply_sdk_quirks(Command& command, NullArguments& nulls) {
    if (command.opcode == Opcode::bdc_32bit_cpy) {
        // It exchanges the strides of destination and source.
        const auto operands = command.info().operands();
        constexpr std::size_t kDst = 3;
        constexpr std::size_t kSrc = 4;
        const Dim4 dst = load(command, operands[kDst]);
        store(command, operands[kDst], load(command, operands[kSrc]));
        store(command, operands[kSrc], dst);
        const bool dst_null = nulls.is_null(kDst);
        nulls.set_null(kDst, nulls.is_null(kSrc));
        nulls.set_null(kSrc, dst_null);
    } else if (command.opcode == Opcode::bdc_fixed_point_packed_mac) {
        // It takes the signedness of the old destination from the result type.
        auto form = command.as<isa::FixedMac>();
        form.is_origin_dst_signed = isa::fixed_types(form.op_type).result.is_signed;
        command = Command::make(command.opcode, form);
    } else if (command.opcode == Opcode::bdc_fixed_point_packed_mac_C) {
        auto form = command.as<isa::FixedMacConstant>();
        form.is_origin_dst_signed = isa::fixed_types(form.op_type).result.is_signed;
        command = Command::make(command.opcode, form);
    }
}

FaultRecord violation_fault(const isa::Violation& violation) {
    FaultRecord record = argument_fault(
        violation.argument.c_str(), violation.value, violation.rule,
        violation.is_address
            ? "keep the whole tensor inside one memory: check address, shape and strides"
            : "pass a value that keeps the rule");
    if (violation.is_address) record.code = FaultCode::kBadAddress;
    return record;
}

}  // namespace

void complete_arguments(Command& command, NullArguments nulls, const Context& context) {
    if (context.options().sdk_quirks) apply_sdk_quirks(command, nulls);
    if (!nulls.any()) return;
    complete_simple_operands(command, nulls);
    if (command.info().form == isa::Form::kConvolution) {
        complete_convolution(command, nulls, context.machine());
    } else if (command.info().form != isa::Form::kDepthwise &&
               command.info().form != isa::Form::kPool &&
               command.info().form != isa::Form::kPoolScaled) {
        complete_strides(command, nulls, context);
    }
}

void issue_call(Context& context, Command command, const NullArguments& nulls) {
    complete_arguments(command, nulls, context);
    if (const auto violation = isa::check(command, context.machine(), true)) {
        throw ProgramFault(violation_fault(*violation));
    }
    if (command.info().is_command()) {
        context.issue(command);
    } else {
        issue_sequence(context, command);
    }
}

}  // namespace okksim::firmware
