// SPDX-License-Identifier: Apache-2.0
#include "isa/isa_document.h"

#include <algorithm>
#include <utility>

#include "isa/command_counts.h"
#include "isa/disassembler.h"
#include "isa/type_names.h"

namespace okksim::isa {
namespace {

/// Texts by the names that semantics columns of instructions.def hold.
namespace sequences {
#define OKKSIM_SEQUENCE(name, text) constexpr const char* name = text;
#include "isa/sequences.def"
#undef OKKSIM_SEQUENCE
}  // namespace sequences

const char* type_text(OperandKind kind) {
    switch (kind) {
        case OperandKind::kLocal: return "local address";
        case OperandKind::kSystem: return "system address";
        case OperandKind::kShape: return "shape (n, c, h, w)";
        case OperandKind::kStride: return "stride (n, c, h, w)";
        case OperandKind::kInt: return "integer";
        case OperandKind::kFloat: return "fp32";
        case OperandKind::kBits: return "bits";
        case OperandKind::kBool: return "flag";
        case OperandKind::kPadding: return "padding (top, bottom, left, right)";
        case OperandKind::kStep: return "step (h, w)";
        case OperandKind::kOpTypes: return "op_type";
        case OperandKind::kMulTypes: return "mul_type";
        case OperandKind::kElement: return "element type";
    }
    return "";
}

const char* access_text(Access access) {
    switch (access) {
        case Access::kNone: return "";
        case Access::kRead: return "read";
        case Access::kWrite: return "write";
        case Access::kUpdate: return "update";
    }
    return "";
}

const char* layout_text(Layout layout) {
    switch (layout) {
        case Layout::kNone: return "";
        case Layout::kStrided: return "by its stride";
        case Layout::kAligned: return "128-byte aligned";
        case Layout::kCompact: return "compact";
        case Layout::kMatrix: return "matrix";
        case Layout::kChosen: return "128-byte aligned or compact, by is_aligned_layout";
        case Layout::kContinuous: return "continuous";
        case Layout::kLanes: return "one copy in every lane";
    }
    return "";
}

const char* data_text(DataType data) {
    switch (data) {
        case DataType::kFp32: return "fp32";
        case DataType::kInt32: return "int32";
        case DataType::kBits32: return "32-bit";
        case DataType::kBits16: return "16-bit";
        case DataType::kBits8: return "8-bit";
        case DataType::kFixed: return "8- and 16-bit fixed point by op_type, packed 4N / 2N";
        case DataType::kFixed8: return "8-bit integer";
        case DataType::kFixed16: return "16-bit packed 2N, 8-bit packed 4N";
        case DataType::kTyped: return "by element types";
    }
    return "";
}

std::string interval(std::int64_t low, std::int64_t high) {
    if (high == INT32_MAX) return "at least " + std::to_string(low);
    return "[" + std::to_string(low) + ", " + std::to_string(high) + "]";
}

std::string shape_range(const OperandRules& rules) {
    if (rules.n_max == 0) return "at least 1 each";
    std::string text =
        "n [1, " + std::to_string(rules.n_max) + "]; c [1, " + std::to_string(rules.c_max) + "]; ";
    return text + "h, w [1, " + std::to_string(rules.hw_max) + "]";
}

std::string op_type_range(Opcode opcode) {
    const OpTypeSet always = allowed_op_types(opcode, true);
    const OpTypeSet sometimes = allowed_op_types(opcode, false);
    std::string text;
    for (const NamedOpType& row : op_types()) {
        if ((sometimes & op_type_bit(row.type)) == 0) continue;
        if (!text.empty()) text += ", ";
        text += row.name;
        if ((always & op_type_bit(row.type)) == 0) text += " (only with is_origin_dst_signed = 0)";
    }
    return text;
}

std::string element_range(ElementTypeSet allowed) {
    std::string text;
    for (const NamedElementType& row : element_types()) {
        if ((allowed >> static_cast<std::uint32_t>(row.type) & 1) == 0) continue;
        text += (text.empty() ? "" : ", ") + std::string(row.name);
    }
    return text;
}

bool has_op_type(const InstructionInfo& info) {
    return std::ranges::any_of(info.operands(), [](const OperandInfo& operand) {
        return operand.kind == OperandKind::kOpTypes;
    });
}

/// Range of an integer that declares none: fixed-point constants have that of their type.
std::string constant_range(const InstructionInfo& info, const OperandInfo& operand) {
    if (!operand.constant_type) return "";
    if (has_op_type(info)) return "of its type in op_type";
    const FixedType type = *operand.constant_type;
    const std::int64_t low = type.is_signed ? -(std::int64_t{1} << (type.bits - 1)) : 0;
    return interval(low, low + (std::int64_t{1} << type.bits) - 1);
}

std::string range_text(const InstructionInfo& info, const OperandInfo& operand) {
    const OperandRules& rules = operand.rules;
    if (operand.kind == OperandKind::kShape) return shape_range(rules);
    if (operand.kind == OperandKind::kStride) return rules.w_stride_is_one ? "w = 1" : "";
    if (operand.kind == OperandKind::kBool) return "0 or 1";
    if (operand.kind == OperandKind::kOpTypes) return op_type_range(info.opcode);
    if (operand.kind == OperandKind::kMulTypes) {
        return "U16_MUL_U8_TO_U16, U16_MUL_S8_TO_S16, S16_MUL_S8_TO_S16";
    }
    if (operand.kind == OperandKind::kElement) return element_range(rules.elements);
    if (operand.kind == OperandKind::kBits && element_bytes(info.data) < 4) {
        return std::to_string(8 * element_bytes(info.data)) + " bits";
    }
    if (rules.ranged) return interval(rules.low, rules.high);
    return operand.kind == OperandKind::kInt ? constant_range(info, operand) : "";
}

std::string alignment_text(const InstructionInfo& info, const OperandInfo& operand) {
    if (operand.rules.access == Access::kNone) return "";
    if (operand.rules.alignment == kLine) return "a vector";
    if (operand.element_word != OperandInfo::kNoWord) return "its element";
    const int bytes =
        operand.rules.alignment != 0 ? operand.rules.alignment : element_bytes(info.data);
    std::string text = std::to_string(bytes);
    if (info.kind == InstructionKind::kAlignedLayout) text += " (function: a vector)";
    return text;
}

OperandDocument document(const InstructionInfo& info, const OperandInfo& operand,
                         const char* first_local) {
    OperandDocument text;
    text.name = operand.name;
    text.type = type_text(operand.kind);
    text.first_word = operand.first_word;
    text.words = operand_words(operand.kind);
    text.access = access_text(operand.rules.access);
    if (operand.is_updated_by_flag) text.access = "write (update with result_add)";
    text.range = range_text(info, operand);
    text.alignment = alignment_text(info, operand);
    text.layout = layout_text(operand.rules.layout);
    if (operand.kind == OperandKind::kLocal) {
        if (first_local == nullptr || !operand.rules.same_lane) {
            text.lane = "any";
        } else {
            text.lane = std::string("that of ") + first_local;
        }
    }
    return text;
}

InstructionDocument document(const InstructionInfo& info) {
    InstructionDocument text;
    text.info = &info;
    if (info.is_command()) text.mnemonic = mnemonic(info);
    if (info.is_function()) text.function = std::string("okk_") + info.name;
    text.engine = engine_name(info.engine);
    text.data = data_text(info.data);
    text.timing = timing_class(info.timing).name;
    text.sequence = sequence_text(info.opcode);
    const char* first_local = nullptr;
    for (const OperandInfo& operand : info.operands()) {
        text.operands.push_back(document(info, operand, first_local));
        if (operand.kind == OperandKind::kLocal && first_local == nullptr) {
            first_local = operand.name;
        }
    }
    return text;
}

}  // namespace

std::string sequence_text(Opcode opcode) {
#define OKKSIM_TEXT_sequence(name) sequences::name
#define OKKSIM_TEXT_vector(...) ""
#define OKKSIM_TEXT_fixed(...) ""
#define OKKSIM_TEXT_array(...) ""
#define OKKSIM_TEXT_typed(...) ""
#define OKKSIM_TEXT_mover(...) ""
    static constexpr auto kTexts = std::to_array<const char*>({
#define OKKSIM_INSTRUCTION(code, name, form, data, timing, kind, semantics, ...) \
    OKKSIM_TEXT_##semantics,
#include "isa/instructions.def"
#undef OKKSIM_INSTRUCTION
    });
#undef OKKSIM_TEXT_sequence
#undef OKKSIM_TEXT_vector
#undef OKKSIM_TEXT_fixed
#undef OKKSIM_TEXT_array
#undef OKKSIM_TEXT_typed
#undef OKKSIM_TEXT_mover
    return kTexts[row_index(instruction(opcode))];
}

std::vector<InstructionDocument> document_instructions() {
    std::vector<InstructionDocument> rows;
    for (const InstructionInfo& info : instructions()) rows.push_back(document(info));
    return rows;
}

}  // namespace okksim::isa
