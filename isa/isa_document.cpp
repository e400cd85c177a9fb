// SPDX-License-Identifier: Apache-2.0
#include "isa/isa_document.h"

#include <cstdio>
#include <utility>

#include "isa/codec.h"
#include "isa/disassembler.h"
#include "isa/type_names.h"

namespace okksim::isa {
namespace {

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
    }
    return "";
}

const char* timing_text(TimingClass timing) {
    switch (timing) {
        case TimingClass::kGdmaCopy: return "copy";
        case TimingClass::kGdmaMatrix: return "matrix copy";
        case TimingClass::kGdmaFill: return "fill";
        case TimingClass::kCopy: return "copy";
        case TimingClass::kConvert: return "convert";
        case TimingClass::kLookup: return "lookup";
        case TimingClass::kArithmetic: return "arithmetic";
        case TimingClass::kArithmeticConstant: return "arithmetic with constant";
        case TimingClass::kMac: return "multiply-add";
        case TimingClass::kMacConstant: return "multiply-add with constant";
        case TimingClass::kDivide: return "divide";
        case TimingClass::kDivideConstant: return "divide with constant";
        case TimingClass::kReciprocal: return "reciprocal";
        case TimingClass::kRsqrt: return "reciprocal root";
        case TimingClass::kSqrt: return "root";
        case TimingClass::kSeries: return "series";
        case TimingClass::kLinear: return "per-channel linear";
        case TimingClass::kConvolution: return "convolution";
        case TimingClass::kDepthwise: return "depthwise";
        case TimingClass::kPool: return "pool";
        case TimingClass::kMatmul: return "matmul";
        case TimingClass::kFixedArithmetic: return "fixed arithmetic";
        case TimingClass::kFixedMul: return "fixed multiply";
        case TimingClass::kFixedMac: return "fixed multiply-add";
        case TimingClass::kFixedMaximum: return "fixed maximum";
        case TimingClass::kFixedMinimum: return "fixed minimum";
        case TimingClass::kFixedShift: return "fixed shift";
        case TimingClass::kSequence: return "sum of its commands";
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

std::string constant_range(const InstructionInfo& info) {
    switch (info.form) {
        case Form::kFixedConstant:
        case Form::kFixedMacConstant:
        case Form::kFixedCompareConstant: return "of its type in op_type";
        case Form::kFixedConstantShift:
            return info.opcode == Opcode::bdc_fixed_point_packed_16bit_C_arithmetic_shift
                       ? "[-32768, 32767]"
                       : "[0, 65535]";
        default: return "";  // no other integer operand without declared range
    }
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
    if (operand.kind == OperandKind::kBits && element_bytes(info.data) < 4) {
        return std::to_string(8 * element_bytes(info.data)) + " bits";
    }
    if (rules.ranged) return interval(rules.low, rules.high);
    return operand.kind == OperandKind::kInt ? constant_range(info) : "";
}

std::string alignment_text(const InstructionInfo& info, const OperandInfo& operand) {
    if (operand.rules.access == Access::kNone) return "";
    const int bytes =
        operand.rules.alignment != 0 ? operand.rules.alignment : element_bytes(info.data);
    std::string text = std::to_string(bytes);
    if (info.kind == InstructionKind::kAlignedLayout) text += " (function: 128)";
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
    const bool accumulates =
        info.timing == TimingClass::kMac || info.timing == TimingClass::kMacConstant;
    if (accumulates && operand.rules.access == Access::kWrite) text.access = "update";
    const bool adds = info.form == Form::kConvolution || info.form == Form::kMatrixMultiply;
    if (adds && operand.rules.access == Access::kWrite)
        text.access = "write (update with result_add)";
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
    text.engine = info.engine == Engine::kGdma ? "GDMA" : "BDC";
    text.data = data_text(info.data);
    text.timing = timing_text(info.timing);
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

std::string hex(std::uint64_t value, int digits) {
    char text[24];
    std::snprintf(text, sizeof text, "0x%0*llx", digits, static_cast<unsigned long long>(value));
    return text;
}

std::string code_text(const InstructionInfo& info) {
    return hex(static_cast<std::uint16_t>(info.opcode), 4);
}

std::string operand_row(const OperandDocument& operand) {
    const std::string words = operand.words == 1
                                  ? std::to_string(operand.first_word)
                                  : std::to_string(operand.first_word) + "-" +
                                        std::to_string(operand.first_word + operand.words - 1);
    std::string type = operand.type;
    if (!operand.access.empty()) type += ", " + operand.access;
    return "| " + words + " | " + operand.name + " | " + type + " | " + operand.range + " | " +
           operand.alignment + " | " + operand.layout + " | " + operand.lane + " |\n";
}

std::string instruction_section(const InstructionDocument& text) {
    const InstructionInfo& info = *text.info;
    std::string section = "### " + (text.mnemonic.empty() ? text.function : text.mnemonic) + "\n\n";
    section += std::string(info.meaning) + ".\n\n";
    section +=
        "Opcode " + code_text(info) + "; data: " + text.data + "; timing: " + text.timing + "; ";
    section +=
        text.function.empty() ? "not a function of the API." : "function: " + text.function + ".";
    section += "\n";
    if (info.kind == InstructionKind::kAlignedLayout) {
        section +=
            "The function has no stride arguments: its tensors are in the 128-byte aligned "
            "layout.\n";
    }
    if (!text.sequence.empty()) {
        section += "\nNot a command: the firmware issues\n\n```\n" + text.sequence + "\n```\n";
    }
    section +=
        "\n| words | operand | type | range | aligned to | layout | start lane |\n"
        "|---|---|---|---|---|---|---|\n";
    for (const OperandDocument& operand : text.operands) section += operand_row(operand);
    return section + "\n";
}

std::string overview(const std::vector<InstructionDocument>& rows) {
    std::string text =
        "| opcode | mnemonic | function | data | timing | meaning |\n"
        "|---|---|---|---|---|---|\n";
    for (const InstructionDocument& row : rows) {
        text += "| " + code_text(*row.info) + " | " +
                (row.mnemonic.empty() ? "(sequence)" : row.mnemonic) + " | " + row.function +
                " | " + row.data + " | " + row.timing + " | " + row.info->meaning + " |\n";
    }
    return text + "\n";
}

std::string quoted(const std::string& text) {
    std::string json = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') json += '\\';
        if (static_cast<unsigned char>(c) < 0x20) {
            json +=
                c == '\n' ? std::string("\\n") : "\\u" + hex(static_cast<unsigned>(c), 4).substr(2);
        } else {
            json += c;
        }
    }
    return json + "\"";
}

/// Members of a JSON object; empty texts are left out.
std::string object(const std::vector<std::pair<const char*, std::string>>& members) {
    std::string json = "{";
    for (const auto& [name, value] : members) {
        if (value.empty() || value == "\"\"") continue;
        json += (json.size() > 1 ? ", \"" : "\"") + std::string(name) + "\": " + value;
    }
    return json + "}";
}

std::string operand_json(const OperandDocument& operand) {
    return object({{"name", quoted(operand.name)},
                   {"type", quoted(operand.type)},
                   {"first_word", std::to_string(operand.first_word)},
                   {"words", std::to_string(operand.words)},
                   {"access", quoted(operand.access)},
                   {"range", quoted(operand.range)},
                   {"alignment", quoted(operand.alignment)},
                   {"layout", quoted(operand.layout)},
                   {"lane", quoted(operand.lane)}});
}

std::string instruction_json(const InstructionDocument& row) {
    std::string operands;
    for (const OperandDocument& operand : row.operands) {
        operands += (operands.empty() ? "\n    " : ",\n    ") + operand_json(operand);
    }
    return object({{"opcode", std::to_string(static_cast<int>(row.info->opcode))},
                   {"name", quoted(row.info->name)},
                   {"mnemonic", quoted(row.mnemonic)},
                   {"function", quoted(row.function)},
                   {"engine", quoted(row.engine)},
                   {"data", quoted(row.data)},
                   {"timing", quoted(row.timing)},
                   {"meaning", quoted(row.info->meaning)},
                   {"sequence", quoted(row.sequence)},
                   {"operands", "[" + operands + "]"}});
}

}  // namespace

std::vector<InstructionDocument> document_instructions() {
    std::vector<InstructionDocument> rows;
    for (const InstructionInfo& info : instructions()) rows.push_back(document(info));
    return rows;
}

std::string isa_markdown() {
    const std::vector<InstructionDocument> rows = document_instructions();
    std::string text =
        "# okksim instruction set\n\n"
        "Generated from isa/instructions.def and isa/forms.def; do not edit.\n"
        "Command file version " +
        std::to_string(kCommandFileVersion) + ", instruction table " + hex(isa_hash(), 16) +
        ".\n\n";
    text += isa_definitions_markdown();
    text += "## All instructions\n\n" + overview(rows);
    for (const char* engine : {"GDMA", "BDC"}) {
        text += std::string("## ") + engine + " instructions\n\n";
        for (const InstructionDocument& row : rows) {
            if (row.engine == engine) text += instruction_section(row);
        }
    }
    text.pop_back();  // one line end at the end
    return text;
}

std::string isa_json() {
    std::string rows;
    for (const InstructionDocument& row : document_instructions()) {
        rows += (rows.empty() ? "\n  " : ",\n  ") + instruction_json(row);
    }
    return object({{"version", std::to_string(kCommandFileVersion)},
                   {"hash", quoted(hex(isa_hash(), 16))},
                   {"record_bytes", std::to_string(sizeof(Command))},
                   {"instructions", "[" + rows + "]"}}) +
           "\n";
}

}  // namespace okksim::isa
