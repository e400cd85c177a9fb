// SPDX-License-Identifier: Apache-2.0
#include "tests/support/okk_call_commands.h"

#include <stdexcept>
#include <string>

#include "isa/layout.h"
#include "isa/tensors.h"

namespace okksim::tests {
namespace {

/// API arguments do not include strides for functions that require the aligned layout.
bool is_argument(const isa::InstructionInfo& info, const isa::OperandInfo& operand) {
    return info.kind != isa::InstructionKind::kAlignedLayout ||
           operand.kind != isa::OperandKind::kStride;
}

void put(isa::Command& command, const isa::OperandInfo& operand, const firmware::CallValue& value) {
    std::uint32_t* words = command.words.data() + operand.first_word;
    const auto copy = [&](const auto& operand_value) {
        std::memcpy(words, &operand_value, sizeof operand_value);
    };
    if (const auto* integer = std::get_if<std::int64_t>(&value)) {
        words[0] = static_cast<std::uint32_t>(*integer);
        if (operand.kind == isa::OperandKind::kSystem) {
            words[1] = static_cast<std::uint32_t>(static_cast<std::uint64_t>(*integer) >> 32);
        }
    } else if (const auto* dim4 = std::get_if<isa::Dim4>(&value)) {
        copy(*dim4);
    } else if (const auto* padding = std::get_if<isa::Padding>(&value)) {
        copy(*padding);
    } else if (const auto* dim2 = std::get_if<isa::Dim2>(&value)) {
        copy(*dim2);
    } else if (operand.kind == isa::OperandKind::kStep) {
        copy(isa::Dim2{1, 1});
    } else if (operand.kind == isa::OperandKind::kPadding) {
        copy(isa::Padding{});
    } else {
        throw std::runtime_error("NULL is not a value of " + std::string(operand.name));
    }
}

/// "src0_stride" belongs to "src0_addr", "kernel_stride" to "weight_addr".
bool belongs(std::string stride, const std::string& address) {
    if (stride == "kernel_stride") return address == "weight_addr";
    stride.replace(stride.size() - 6, 6, "addr");
    return stride == address;
}

void put_default_layout(isa::Command& command, const isa::OperandInfo& stride,
                        const isa::MachineShape& machine) {
    for (const isa::TensorView& view : isa::tensor_views(command, machine)) {
        if (!belongs(stride.name, view.operand)) continue;
        put(command, stride,
            view.local
                ? isa::aligned_stride(view.local_addr, view.shape, 8 * view.element_bytes, machine)
                : isa::continuous_stride(view.shape));
    }
}

template <typename Value>
Value get(const isa::Command& command, const isa::OperandInfo& operand) {
    Value value;
    std::memcpy(static_cast<void*>(&value), command.words.data() + operand.first_word,
                sizeof value);
    return value;
}

firmware::CallValue value_of(const isa::Command& command, const isa::OperandInfo& operand) {
    switch (operand.kind) {
        case isa::OperandKind::kShape:
        case isa::OperandKind::kStride: return get<isa::Dim4>(command, operand);
        case isa::OperandKind::kPadding: return get<isa::Padding>(command, operand);
        case isa::OperandKind::kStep: return get<isa::Dim2>(command, operand);
        case isa::OperandKind::kSystem:
            return static_cast<std::int64_t>(get<isa::SystemAddr>(command, operand).value());
        case isa::OperandKind::kInt: return std::int64_t{get<std::int32_t>(command, operand)};
        case isa::OperandKind::kLocal:
        case isa::OperandKind::kFloat:
        case isa::OperandKind::kBits:
        case isa::OperandKind::kBool:
        case isa::OperandKind::kOpTypes:
        case isa::OperandKind::kMulTypes:
        case isa::OperandKind::kElement: break;
    }
    return std::int64_t{get<std::uint32_t>(command, operand)};
}

}  // namespace

isa::Command command_of_call(const isa::InstructionInfo& function,
                             const firmware::CallValues& arguments,
                             const isa::MachineShape& machine) {
    isa::Command command;
    command.opcode = function.opcode;
    std::vector<const isa::OperandInfo*> defaults;
    std::size_t next = 0;
    for (const isa::OperandInfo& operand : function.operands()) {
        const bool given = is_argument(function, operand);
        if (given && next >= arguments.size()) throw std::runtime_error("too few arguments");
        const firmware::CallValue value = given ? arguments[next++] : firmware::CallValue(nullptr);
        if (operand.kind == isa::OperandKind::kStride &&
            std::holds_alternative<std::nullptr_t>(value)) {
            defaults.push_back(&operand);
        } else {
            put(command, operand, value);
        }
    }
    if (next != arguments.size()) throw std::runtime_error("too many arguments");
    for (const isa::OperandInfo* stride : defaults) put_default_layout(command, *stride, machine);
    return command;
}

firmware::CallValues call_of_command(const isa::Command& command) {
    firmware::CallValues values;
    for (const isa::OperandInfo& operand : command.info().operands()) {
        if (is_argument(command.info(), operand)) values.push_back(value_of(command, operand));
    }
    return values;
}

bool is_layer(const isa::InstructionInfo& row) {
    switch (row.timing) {
        case isa::TimingClass::kConvolution:
        case isa::TimingClass::kDepthwise:
        case isa::TimingClass::kPool:
        case isa::TimingClass::kMatmul: return true;
        default: return false;
    }
}

}  // namespace okksim::tests
