// SPDX-License-Identifier: Apache-2.0
#include "isa/isa_document.h"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>

#include "isa/codec.h"
#include "isa/disassembler.h"
#include "tests/support/catch.h"

namespace okksim::tests {

// After a change of the table, rewrite the file: OKKSIM_WRITE_ISA_MD=1 isa_test "isa/ISA.md*".
TEST_CASE("isa/ISA.md is what the table generates") {
    const char* source = std::getenv("OKKSIM_SOURCE_DIR");
    const std::string path = std::string(source != nullptr ? source : ".") + "/isa/ISA.md";
    const std::string expected = isa::isa_markdown();
    if (std::getenv("OKKSIM_WRITE_ISA_MD") != nullptr) std::ofstream(path) << expected;
    std::ifstream file(path, std::ios::binary);
    INFO("run from the source tree or set OKKSIM_SOURCE_DIR: " << path);
    REQUIRE(file);
    const std::string actual((std::istreambuf_iterator<char>(file)),
                             std::istreambuf_iterator<char>());
    if (actual != expected) {
        const auto at =
            std::mismatch(actual.begin(), actual.end(), expected.begin(), expected.end()).first -
            actual.begin();
        FAIL("ISA.md differs from the table from byte "
             << at << " on; run with OKKSIM_WRITE_ISA_MD=1 and commit the file");
    }
}

TEST_CASE("the documents follow the table") {
    const auto documents = isa::document_instructions();
    REQUIRE(documents.size() == isa::instructions().size());
    const isa::InstructionDocument* conv = nullptr;
    for (const isa::InstructionDocument& row : documents) {
        INFO(row.info->name);
        CHECK(row.mnemonic.empty() == (row.info->kind == isa::InstructionKind::kSequence));
        CHECK(row.sequence.empty() != (row.info->kind == isa::InstructionKind::kSequence));
        CHECK(row.operands.size() == row.info->operands().size());
        if (row.mnemonic == "bdc.conv2d") conv = &row;
    }
    REQUIRE(conv != nullptr);
    const auto operand = [&](const std::string& name) {
        for (const isa::OperandDocument& each : conv->operands) {
            if (each.name == name) return each;
        }
        FAIL("no operand " << name);
        return isa::OperandDocument{};
    };
    CHECK(operand("output_addr").alignment == "a vector");
    CHECK(operand("output_addr").layout == "128-byte aligned");
    CHECK(operand("input_addr").lane == "any");
    CHECK(operand("weight_addr").lane == "that of output_addr");
    CHECK(operand("bias_addr").layout == "compact");
    CHECK(operand("padding").range == "[0, 15]");
    CHECK(operand("input_shape").range == "n [1, 65535]; c [1, 4095]; h, w [1, 2047]");
    // Four addresses, then the shape: words 4 to 7.
    CHECK(operand("input_shape").first_word == 4);
    CHECK(operand("input_shape").words == 4);
}

TEST_CASE("sequences name commands of the table only") {
    for (const isa::InstructionInfo& row : isa::instructions()) {
        std::istringstream text(isa::sequence_text(row.opcode));
        std::string line;
        while (std::getline(text, line)) {
            if (line.starts_with("(")) continue;
            const std::string name = line.substr(0, line.find(' '));
            const isa::InstructionInfo* command = isa::find_instruction(std::string_view(name));
            INFO(row.name << ": " << line);
            REQUIRE(command != nullptr);
            CHECK(command->is_command());
            CHECK(isa::mnemonic(*command) == name);
        }
    }
}

TEST_CASE("the JSON form is JSON and complete") {
    const auto json = nlohmann::json::parse(isa::isa_json());
    CHECK(json.at("record_bytes") == sizeof(isa::Command));
    const auto& rows = json.at("instructions");
    REQUIRE(rows.size() == isa::instructions().size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const isa::InstructionInfo& info = isa::instructions()[i];
        CHECK(rows[i].at("opcode") == static_cast<int>(info.opcode));
        CHECK(rows[i].at("meaning") == info.meaning);
        CHECK(rows[i].at("operands").size() == info.operands().size());
        CHECK(rows[i].contains("mnemonic") == info.is_command());
        // Rows beyond the API reference name their group.
        const bool is_beyond = info.feature != isa::Feature::kBase;
        CHECK(rows[i].value("group", "") == (is_beyond ? isa::feature_info(info.feature).key : ""));
    }
}

}  // namespace okksim::tests
