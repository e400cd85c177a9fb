// SPDX-License-Identifier: Apache-2.0
#include "isa/disassembler.h"

#include <charconv>
#include <cmath>

#include "isa/base/hex.h"
#include "isa/listing.h"
#include "isa/type_names.h"

namespace okksim::isa {
namespace {

std::string float_text(Bits32 bits) {
    const float value = bits.as_float();
    if (std::isnan(value)) return hex(bits.bits);
    char digits[32];
    const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
    return std::string(digits, end);
}

std::string tuple_text(const std::uint32_t* words, int count) {
    std::string text = "(";
    for (int i = 0; i < count; ++i) {
        if (i != 0) text += ", ";
        text += std::to_string(static_cast<std::int32_t>(words[i]));
    }
    return text + ")";
}

std::string local_text(LocalAddr addr, const MachineShape& machine) {
    return std::to_string(machine.lane_of(addr)) + ":" +
           hex(static_cast<std::uint64_t>(machine.offset_of(addr)));
}

std::string system_text(SystemAddr addr, const MachineShape& machine) {
    for (const NamedMemory& memory : named_memories(machine)) {
        const std::uint64_t offset = addr.value() - memory.start;
        if (addr.value() >= memory.start && offset < memory.bytes) {
            return memory.name + ("+" + hex(offset));
        }
    }
    return hex(addr.value());
}

std::string name_or_number(const char* name, std::uint32_t value) {
    return name != nullptr ? name : std::to_string(value);
}

}  // namespace

std::string mnemonic(const InstructionInfo& info) {
    std::string text = info.name;
    text[text.find('_')] = '.';
    return text;
}

std::string operand_text(const Command& command, const OperandInfo& operand,
                         const MachineShape& machine) {
    const std::uint32_t* words = command.words.data() + operand.first_word;
    switch (operand.kind) {
        case OperandKind::kLocal: return local_text({words[0]}, machine);
        case OperandKind::kSystem: return system_text({words[0], words[1]}, machine);
        case OperandKind::kShape:
        case OperandKind::kStride:
        case OperandKind::kPadding:
        case OperandKind::kStep: return tuple_text(words, operand_words(operand.kind));
        case OperandKind::kInt: return std::to_string(static_cast<std::int32_t>(words[0]));
        case OperandKind::kFloat: return float_text({words[0]});
        case OperandKind::kBits: return hex(words[0]);
        case OperandKind::kBool:
            return name_or_number(words[0] > 1    ? nullptr
                                  : words[0] != 0 ? "true"
                                                  : "false",
                                  words[0]);
        case OperandKind::kOpTypes:
            return name_or_number(op_type_name(static_cast<OpType>(words[0])), words[0]);
        case OperandKind::kMulTypes:
            return name_or_number(mul_type_name(static_cast<MulType>(words[0])), words[0]);
        case OperandKind::kElement:
            return name_or_number(element_type_name(static_cast<ElementType>(words[0])), words[0]);
    }
    return {};
}

std::string disassemble_operation(const Command& command, const MachineShape& machine) {
    const InstructionInfo& info = command.info();
    std::string text = mnemonic(info);
    const char* separator = " ";
    for (const OperandInfo& operand : info.operands()) {
        text += separator;
        text += operand.name;
        text += '=';
        text += operand_text(command, operand, machine);
        separator = ", ";
    }
    return text;
}

std::string disassemble(const Command& command, const MachineShape& machine) {
    std::string text = disassemble_operation(command, machine);
    text += " | id=" + std::to_string(command.id);
    if (command.wait_gdma != 0) text += " wait_gdma=" + std::to_string(command.wait_gdma);
    if (command.wait_bdc != 0) text += " wait_bdc=" + std::to_string(command.wait_bdc);
    return text;
}

std::string disassemble(const CommandFile& file) {
    std::string text = ".machine";
    for (const MachineField& field : kMachineFields) {
        const std::uint64_t value = field.get(file.machine);
        text += std::string(" ") + field.name + "=";
        text += value < 4096 ? std::to_string(value) : hex(value);
    }
    text += '\n';
    for (const Command& command : file.commands) {
        text += disassemble(command, file.machine);
        text += '\n';
    }
    return text;
}

}  // namespace okksim::isa
