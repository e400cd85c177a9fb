// SPDX-License-Identifier: Apache-2.0
#include "tests/isa/sample_commands.h"

#include <bit>
#include <map>
#include <stdexcept>

#include "isa/features.h"
#include "isa/layout.h"
#include "isa/type_names.h"

namespace okksim::tests {
namespace {

using isa::Dim4;
using isa::OperandKind;

constexpr Dim4 kShape{2, 5, 3, 4};
constexpr std::int32_t kLane = 1;

std::int32_t sample_int(const std::string& name) {
    static const std::map<std::string, std::int32_t> values = {{"rows", 3},
                                                               {"cols", 10},
                                                               {"cols_per_channel", 4},
                                                               {"row_stride", 10},
                                                               {"C", 2},
                                                               {"num_series", 8},
                                                               {"output_c", 6},
                                                               {"kernel_h", 2},
                                                               {"kernel_w", 3},
                                                               {"left_rows", 3},
                                                               {"left_cols", 10},
                                                               {"right_cols", 12},
                                                               {"rshift", 3},
                                                               {"lshift", 2},
                                                               {"left_cols_per_channel", 4},
                                                               {"right_cols_per_channel", 5},
                                                               {"multiplier", 5},
                                                               {"input_zp", 3},
                                                               {"weight_zp", -2},
                                                               {"output_zp", 1},
                                                               {"low", -100},
                                                               {"high", 100}};
    return values.at(name);
}

void set(isa::Command& command, const isa::OperandInfo& operand,
         std::initializer_list<std::int32_t> values) {
    std::size_t word = operand.first_word;
    for (const std::int32_t value : values) {
        command.words[word++] = static_cast<std::uint32_t>(value);
    }
}

Dim4 sample_stride(const isa::InstructionInfo& row, const std::string& name,
                   const isa::MachineShape& machine) {
    if (name == "kernel_stride") {
        return isa::compact_stride(kLane, isa::weight_2ic_shape(kShape.c, 6, 2, 3), machine.lanes);
    }
    const int bits = row.engine == isa::Engine::kGdma ? 8 * isa::element_bytes(row.data) : 32;
    return isa::aligned_stride(kLane, kShape, bits, machine.lanes, machine.line_bytes());
}

/// Words where they are allowed, else 16-bit elements if allowed, else bytes.
isa::ElementType sample_element(const isa::OperandInfo& operand) {
    using enum isa::ElementType;
    for (const isa::ElementType type : {kInt32, kFp16}) {
        if ((operand.rules.elements & isa::element_set(type)) != 0) return type;
    }
    return kInt8;
}

/// Scaled sums cannot accumulate.
bool sample_flag(const isa::InstructionInfo& row, const std::string& name) {
    return name != "result_add" || !has_operand(row, "rescales");
}

}  // namespace

isa::MachineShape small_machine() {
    isa::MachineShape machine;
    machine.lanes = 4;
    machine.local_bytes = 4096;
    machine.local_banks = 8;
    machine.vector_words = 32;
    machine.features = isa::kAllFeatures;
    machine.l2_start = 0x10000;
    machine.l2_bytes = 0x2000;
    machine.dtcm_start = 0x20000;
    machine.dtcm_bytes = 0x1000;
    machine.global_start = 0x100000000;
    machine.global_bytes = 0x10000;
    return machine;
}

isa::Command sample_command(const isa::InstructionInfo& row) {
    const isa::MachineShape machine = small_machine();
    isa::Command command;
    command.opcode = row.opcode;
    // 768 bytes per tensor: 2 batch elements of at most 2 channel slots of 128 bytes each need 512.
    std::int32_t next = 0;
    for (const isa::OperandInfo& operand : row.operands()) {
        switch (operand.kind) {
            case OperandKind::kLocal:
                set(command, operand, {kLane * 4096 + next});
                next += 768;
                break;
            case OperandKind::kSystem: set(command, operand, {0x1000 + next, 1}); break;
            case OperandKind::kShape:
                set(command, operand, {kShape.n, kShape.c, kShape.h, kShape.w});
                break;
            case OperandKind::kStride: {
                const Dim4 stride = sample_stride(row, operand.name, machine);
                set(command, operand, {stride.n, stride.c, stride.h, stride.w});
                break;
            }
            case OperandKind::kInt: set(command, operand, {sample_int(operand.name)}); break;
            case OperandKind::kFloat: set(command, operand, {std::bit_cast<int>(0.5f)}); break;
            case OperandKind::kBits: set(command, operand, {0x2A}); break;
            case OperandKind::kBool:
                set(command, operand, {sample_flag(row, operand.name) ? 1 : 0});
                break;
            case OperandKind::kPadding: set(command, operand, {1, 0, 2, 1}); break;
            case OperandKind::kStep: set(command, operand, {1, 1}); break;
            case OperandKind::kOpTypes:
                set(command, operand, {std::countr_zero(isa::allowed_op_types(row.opcode, true))});
                break;
            case OperandKind::kMulTypes: set(command, operand, {7}); break;
            case OperandKind::kElement:
                set(command, operand, {static_cast<std::int32_t>(sample_element(operand))});
                break;
        }
    }
    return command;
}

isa::Command random_record(const isa::InstructionInfo& row, std::mt19937& random) {
    isa::Command command;
    command.opcode = row.opcode;
    command.id = random();
    command.wait_gdma = random() % 3 == 0 ? 0 : random();
    command.wait_bdc = random() % 3 == 0 ? 0 : random();
    const auto words = static_cast<std::size_t>(isa::form_words(row.form));
    for (std::size_t i = 0; i < words; ++i) command.words[i] = random();
    for (const isa::OperandInfo& operand : row.operands()) {
        std::uint32_t& word = command.words[operand.first_word];
        if (operand.kind == OperandKind::kBool) word &= 1;
        if (operand.kind == OperandKind::kOpTypes) {
            word = static_cast<std::uint32_t>(isa::op_types()[word % isa::op_types().size()].type);
        }
        if (operand.kind == OperandKind::kElement) word %= isa::kElementTypes;
        if (operand.kind == OperandKind::kMulTypes) {
            word =
                static_cast<std::uint32_t>(isa::mul_types()[word % isa::mul_types().size()].type);
        }
    }
    return command;
}

std::uint32_t& word_of(isa::Command& command, const std::string& argument) {
    static const std::map<std::string, std::size_t> members = {
        {"n", 0},   {"c", 1},      {"h", 2},    {"w", 3},
        {"top", 0}, {"bottom", 1}, {"left", 2}, {"right", 3}};
    const std::size_t arrow = argument.find("->");
    for (const isa::OperandInfo& operand : command.info().operands()) {
        if (argument.substr(0, arrow) != operand.name) continue;
        std::size_t word = operand.first_word;
        if (arrow != std::string::npos) {
            word += members.at(argument.substr(arrow + 2));
            if (operand.kind == OperandKind::kStep) word -= 2;
        }
        return command.words.at(word);
    }
    throw std::runtime_error("no operand " + argument);
}

bool has_operand(const isa::InstructionInfo& row, const std::string& name) {
    for (const isa::OperandInfo& operand : row.operands()) {
        if (name == operand.name) return true;
    }
    return false;
}

}  // namespace okksim::tests
