// SPDX-License-Identifier: Apache-2.0
// The documents of all instructions as Markdown and as JSON.
#include <string>
#include <utility>
#include <vector>

#include "isa/base/hex.h"
#include "isa/codec.h"
#include "isa/features.h"
#include "isa/isa_document.h"

namespace okksim::isa {
namespace {

std::string code_text(const InstructionInfo& info) {
    return hex(static_cast<std::uint16_t>(info.opcode), 4);
}

bool is_beyond_reference(const InstructionInfo& info) { return info.feature != Feature::kBase; }

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
    if (is_beyond_reference(info)) {
        section += std::string("group: ") + feature_info(info.feature).key + "; ";
    }
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

/// Returns the table of the rows of one instruction group.
std::string overview(const std::vector<InstructionDocument>& rows, Feature group) {
    std::string text =
        "| opcode | mnemonic | function | data | timing | meaning |\n"
        "|---|---|---|---|---|---|\n";
    for (const InstructionDocument& row : rows) {
        if (row.info->feature != group) continue;
        text += "| " + code_text(*row.info) + " | " +
                (row.mnemonic.empty() ? "(sequence)" : row.mnemonic) + " | " + row.function +
                " | " + row.data + " | " + row.timing + " | " + row.info->meaning + " |\n";
    }
    return text + "\n";
}

/// Returns the chapters of the instruction groups beyond the API reference.
std::string groups(const std::vector<InstructionDocument>& rows) {
    std::string text =
        "## Groups beyond the API reference\n\n"
        "Functions of `firmware/okk_features.h`. A machine has a group when its file says so in\n"
        "the section `[features]`; command files that use one have instruction table " +
        hex(isa_hash_with_features(), 16) + ".\n\n";
    for (const FeatureInfo& group : kFeatures) {
        if (group.feature == Feature::kBase) continue;
        text += std::string("### Group ") + group.key + "\n\n" + group.meaning + ".";
        for (const FeatureInfo& needed : kFeatures) {
            if ((group.needs & feature_bit(needed.feature)) == 0) continue;
            text += std::string(" Needs ") + needed.key + ".";
        }
        text += "\n\n";
        if (group.feature == Feature::kFusedRescale) {
            text += "Convolutions of int8_mac with `rescales` = 1.\n\n";
        } else if (group.feature == Feature::kInt16Mac) {
            text += "Convolutions of int8_mac with `input_type` = OKK_INT16.\n\n";
        } else {
            text += overview(rows, group.feature);
        }
    }
    return text;
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

/// Returns a JSON object; empty texts are left out.
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
    return object(
        {{"opcode", std::to_string(static_cast<int>(row.info->opcode))},
         {"name", quoted(row.info->name)},
         {"mnemonic", quoted(row.mnemonic)},
         {"function", quoted(row.function)},
         {"engine", quoted(row.engine)},
         {"data", quoted(row.data)},
         {"timing", quoted(row.timing)},
         {"group",
          is_beyond_reference(*row.info) ? quoted(feature_info(row.info->feature).key) : ""},
         {"meaning", quoted(row.info->meaning)},
         {"sequence", quoted(row.sequence)},
         {"operands", "[" + operands + "]"}});
}

}  // namespace

std::string isa_markdown() {
    const std::vector<InstructionDocument> rows = document_instructions();
    std::string text =
        "# okksim instruction set\n\n"
        "Generated from the tables isa/*.def and isa/definitions.md; do not edit.\n"
        "Command file version " +
        std::to_string(kCommandFileVersion) + ", instruction table " + hex(isa_hash(), 16) +
        ".\n\n";
    text += isa_definitions_markdown();
    text += "## All instructions of the API reference\n\n" + overview(rows, Feature::kBase);
    text += groups(rows);
    for (const char* engine : {"GDMA", "BDC"}) {
        text += std::string("## ") + engine + " instructions\n\n";
        for (const InstructionDocument& row : rows) {
            if (row.engine == engine) text += instruction_section(row);
        }
    }
    text.pop_back();  // exactly one line end at the end
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
