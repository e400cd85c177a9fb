// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "isa/instructions.h"
#include "isa/type_names.h"
#include "tests/isa/sample_commands.h"
#include "tests/support/catch.h"

namespace okksim::tests {
namespace {

/// The functions of the API reference, by name.
const std::vector<std::string> kFunctions = {
#define SIGNATURE(result, name, parameters) #name,
#include "tests/firmware/api_signatures.def"
#undef SIGNATURE
};

}  // namespace

TEST_CASE("the table has the functions of the API reference that are commands") {
    int found = 0;
    for (const std::string& name : kFunctions) {
        if (!name.starts_with("okk_gdma_") && !name.starts_with("okk_bdc_")) continue;
        const isa::InstructionInfo* row = isa::find_instruction(name);
        INFO(name);
        REQUIRE(row != nullptr);
        CHECK(row->is_function());
        CHECK(row->feature == isa::Feature::kBase);
        ++found;
    }
    // The API reference documents 119 functions; 16 of them issue no command.
    CHECK(found == 103);
}

TEST_CASE("opcodes are unique and tell the engine") {
    std::set<int> codes;
    std::set<std::string> names;
    for (const isa::InstructionInfo& row : isa::instructions()) {
        INFO(row.name);
        const int code = static_cast<int>(row.opcode);
        CHECK(codes.insert(code).second);
        CHECK(names.insert(row.name).second);
        const bool gdma = std::string(row.name).starts_with("gdma_");
        CHECK(row.engine == (gdma ? isa::Engine::kGdma : isa::Engine::kBdc));
        // Groups beyond the API reference have separate opcodes: compute engine (BDC) commands from
        // 0x300 on, GDMA commands from 0x380 on.
        const bool is_beyond = row.feature != isa::Feature::kBase;
        CHECK(code >> 8 == (is_beyond ? 3 : gdma ? 1 : 2));
        if (is_beyond) CHECK((code >= 0x380) == gdma);
        CHECK(!std::string(row.meaning).empty());
        CHECK((row.timing == isa::TimingClass::kSequence) ==
              (row.kind == isa::InstructionKind::kSequence));
        // Found by code, name, function and mnemonic.
        CHECK(isa::find_instruction(static_cast<std::uint16_t>(code)) == &row);
        const std::string name = row.name;
        CHECK(isa::find_instruction(std::string_view(name)) == &row);
        CHECK(isa::find_instruction(std::string_view("okk_" + name)) == &row);
        std::string mnemonic = name;
        mnemonic[mnemonic.find('_')] = '.';
        CHECK(isa::find_instruction(std::string_view(mnemonic)) == &row);
    }
    for (int code = 0; code <= 0xFFFF; ++code) {
        const auto* row = isa::find_instruction(static_cast<std::uint16_t>(code));
        if ((row != nullptr) != (codes.count(code) == 1)) FAIL_CHECK("code " << code);
    }
}

TEST_CASE("operands fill the words of a record without gaps") {
    for (const isa::InstructionInfo& row : isa::instructions()) {
        INFO(row.name);
        std::set<std::string> names;
        int word = 0;
        int addresses = 0;
        int strides = 0;
        for (const isa::OperandInfo& operand : row.operands()) {
            CHECK(operand.first_word == word);
            CHECK(names.insert(operand.name).second);
            word += isa::operand_words(operand.kind);
            const bool address = operand.kind == isa::OperandKind::kLocal ||
                                 operand.kind == isa::OperandKind::kSystem;
            CHECK(address == (operand.rules.access != isa::Access::kNone));
            CHECK(address == (operand.rules.layout != isa::Layout::kNone));
            if (address && operand.rules.layout == isa::Layout::kStrided) ++addresses;
            if (operand.kind == isa::OperandKind::kStride) ++strides;
        }
        CHECK(word == isa::form_words(row.form));
        CHECK(word <= isa::Command::kOperandWords);
        // Every tensor without a fixed layout has its own strides. System memory holds the rows of
        // a matrix one after another, row_stride apart.
        const int matrices = row.timing == isa::TimingClass::kGdmaMatrix ? 1 : 0;
        // Multipliers and shifts of a rescale share strides.
        const int shared = row.form == isa::Form::kIntRescale ? 1 : 0;
        CHECK(addresses == strides + matrices + shared);
    }
}

TEST_CASE("op_type encodes the types that its name says") {
    REQUIRE(isa::op_types().size() == 20);
    const auto text = [](isa::FixedType type) {
        return (type.is_signed ? "S" : "U") + std::to_string(type.bits);
    };
    for (const isa::NamedOpType& row : isa::op_types()) {
        const isa::FixedTypes types = isa::fixed_types(row.type);
        CHECK(text(types.source0) + "_OP_" + text(types.source1) + "_TO_" + text(types.result) ==
              row.name);
        CHECK(isa::find_op_type(row.name) == row.type);
        CHECK(isa::op_type_name(row.type) == std::string(row.name));
    }
    CHECK(isa::find_op_type("S8_OP_S8_TO_U8") == std::nullopt);
    CHECK(isa::op_type_name(static_cast<isa::OpType>(2)) == nullptr);
    CHECK(static_cast<int>(isa::find_mul_type("S16_MUL_S8_TO_S16").value()) == 7);
    CHECK(isa::mul_type_name(static_cast<isa::MulType>(4)) == nullptr);
}

TEST_CASE("operand structs and words agree") {
    isa::VectorSeries form;
    form.dst_addr = {0x11};
    form.shape = {1, 2, 3, 4};
    form.num_series = 9;
    form.src_stride = {5, 6, 7, 8};
    isa::Command command = isa::Command::make(isa::Opcode::bdc_taylor_exp, form);
    CHECK(word_of(command, "dst_addr") == 0x11);
    CHECK(word_of(command, "shape->c") == 2);
    CHECK(word_of(command, "num_series") == 9);
    CHECK(word_of(command, "src_stride->w") == 8);
    CHECK(command.as<isa::VectorSeries>() == form);
}

}  // namespace okksim::tests
