// SPDX-License-Identifier: Apache-2.0
#include "firmware/calls/sdk_quirks.h"

#include <array>
#include <cstring>
#include <utility>

#include "isa/layout.h"
#include "isa/tensors.h"

namespace okksim::firmware {
namespace {

using isa::Command;
using isa::Dim4;
using isa::Opcode;

constexpr const char* kWideFill = "takes the layout of 32-bit elements for dst_stride = NULL";
constexpr const char* kPassStride = "pass a dst_stride";
constexpr const char* kSign =
    "ignores is_origin_dst_signed and reads the old result with the sign of op_type's result";
constexpr const char* kPassSign = "pass the sign of op_type's result";

constexpr auto kQuirks = std::to_array<SdkQuirk>({
    {Opcode::bdc_32bit_cpy, "exchanges dst_stride and src_stride", "pass equal strides", false},
    {Opcode::gdma_16bit_set_C_local, kWideFill, kPassStride, true},
    {Opcode::gdma_8bit_set_C_local, kWideFill, kPassStride, true},
    {Opcode::bdc_fixed_point_packed_mac, kSign, kPassSign, false},
    {Opcode::bdc_fixed_point_packed_mac_C, kSign, kPassSign, false},
});

void exchange_strides(Command& command, NullArguments& nulls) {
    constexpr std::size_t kDst = 3;
    constexpr std::size_t kSrc = 4;
    auto form = command.as<isa::VectorUnary>();
    std::swap(form.dst_stride, form.src_stride);
    command = Command::make(command.opcode, form);
    const bool dst_null = nulls.is_null(kDst);
    nulls.set_null(kDst, nulls.is_null(kSrc));
    nulls.set_null(kSrc, dst_null);
}

template <typename Form>
void take_sign_of_result(Command& command) {
    auto form = command.as<Form>();
    form.is_origin_dst_signed = isa::fixed_types(form.op_type).result.is_signed;
    command = Command::make(command.opcode, form);
}

/// A shift by 16 or more moves the sign of a 16-bit value out of the 32 bits of the sum.
template <typename Form>
void forget_shifted_sign(Command& command) {
    auto form = command.as<Form>();
    constexpr std::int32_t kResultBits = 16;
    if (form.lshift < kResultBits) return;
    form.is_origin_dst_signed = false;
    command = Command::make(command.opcode, form);
}

/// Strides of dimensions with one element become 0.
void forget_unused_strides(Command& command, const isa::MachineShape& machine) {
    const isa::TensorViews views = isa::tensor_views(command, machine);
    for (const isa::OperandInfo& operand : command.info().operands()) {
        if (operand.kind != isa::OperandKind::kStride) continue;
        const isa::TensorView& view = views[operand.tensor];
        const Dim4& shape = view.shape;
        const std::int64_t slots =
            view.local
                ? isa::channels_per_lane(machine.lane_of(view.local_addr), shape.c, machine.lanes)
                : shape.c;
        Dim4 stride;
        std::memcpy(static_cast<void*>(&stride), &command.words[operand.first_word], sizeof stride);
        if (shape.n == 1) stride.n = 0;
        if (slots == 1) stride.c = 0;
        if (shape.h == 1) stride.h = 0;
        if (shape.w == 1) stride.w = 0;
        std::memcpy(&command.words[operand.first_word], &stride, sizeof stride);
    }
}

void forget_unused(Command& command, const isa::MachineShape& machine) {
    if (command.opcode == Opcode::bdc_fixed_point_packed_mac) {
        forget_shifted_sign<isa::FixedMac>(command);
    } else if (command.opcode == Opcode::bdc_fixed_point_packed_mac_C) {
        forget_shifted_sign<isa::FixedMacConstant>(command);
    }
    forget_unused_strides(command, machine);
}

}  // namespace

const SdkQuirk* find_sdk_quirk(Opcode opcode) {
    for (const SdkQuirk& quirk : kQuirks) {
        if (quirk.opcode == opcode) return &quirk;
    }
    return nullptr;
}

void apply_sdk_quirk(Command& command, NullArguments& nulls) {
    if (command.opcode == Opcode::bdc_32bit_cpy) {
        exchange_strides(command, nulls);
    } else if (command.opcode == Opcode::bdc_fixed_point_packed_mac) {
        take_sign_of_result<isa::FixedMac>(command);
    } else if (command.opcode == Opcode::bdc_fixed_point_packed_mac_C) {
        take_sign_of_result<isa::FixedMacConstant>(command);
    }
}

bool differ_in_effect(Command a, Command b, const isa::MachineShape& machine) {
    forget_unused(a, machine);
    forget_unused(b, machine);
    return a.words != b.words;
}

}  // namespace okksim::firmware
