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

/// The GDMA and BDC functions of the API reference, in its order.
const std::vector<std::string> kFunctions = {
    "okk_gdma_32bit_cpy_S2L",
    "okk_gdma_32bit_cpy_L2S",
    "okk_gdma_32bit_cpy_L2L",
    "okk_gdma_32bit_cpy_S2S",
    "okk_gdma_32bit_matrix_S2L",
    "okk_gdma_32bit_matrix_L2S",
    "okk_gdma_32bit_set_C_system",
    "okk_gdma_32bit_set_C_local",
    "okk_gdma_16bit_cpy_S2L",
    "okk_gdma_16bit_cpy_L2S",
    "okk_gdma_16bit_cpy_L2L",
    "okk_gdma_16bit_cpy_S2S",
    "okk_gdma_16bit_set_C_system",
    "okk_gdma_16bit_set_C_local",
    "okk_gdma_8bit_cpy_S2L",
    "okk_gdma_8bit_cpy_L2S",
    "okk_gdma_8bit_cpy_L2L",
    "okk_gdma_8bit_cpy_S2S",
    "okk_gdma_8bit_set_C_system",
    "okk_gdma_8bit_set_C_local",
    "okk_bdc_32bit_cpy",
    "okk_bdc_32bit_set_C",
    "okk_bdc_fp32_to_int32",
    "okk_bdc_lookup_int32_to_fp32",
    "okk_bdc_4N_int8_to_fp32",
    "okk_bdc_int8_to_fp32",
    "okk_bdc_add",
    "okk_bdc_add_C",
    "okk_bdc_sub",
    "okk_bdc_sub_C",
    "okk_bdc_C_sub",
    "okk_bdc_mul",
    "okk_bdc_mul_C",
    "okk_bdc_div",
    "okk_bdc_div_C",
    "okk_bdc_C_div",
    "okk_bdc_mac",
    "okk_bdc_mac_C",
    "okk_bdc_max",
    "okk_bdc_max_C",
    "okk_bdc_min",
    "okk_bdc_min_C",
    "okk_bdc_greater_select_value",
    "okk_bdc_greater_C_select_value",
    "okk_bdc_C_greater_select_value",
    "okk_bdc_equal_select_value",
    "okk_bdc_equal_C_select_value",
    "okk_bdc_32bit_and",
    "okk_bdc_32bit_and_C",
    "okk_bdc_32bit_or",
    "okk_bdc_32bit_or_C",
    "okk_bdc_32bit_xor",
    "okk_bdc_32bit_xor_C",
    "okk_bdc_32bit_arithmetic_shift",
    "okk_bdc_32bit_logical_shift",
    "okk_bdc_32bit_arithmetic_shift_C",
    "okk_bdc_32bit_logical_shift_C",
    "okk_bdc_32bit_C_arithmetic_shift",
    "okk_bdc_32bit_C_logical_shift",
    "okk_bdc_rsqrt",
    "okk_bdc_sqrt",
    "okk_bdc_taylor_exp",
    "okk_bdc_lookup_exp",
    "okk_bdc_exp",
    "okk_bdc_exp_tunable",
    "okk_bdc_sigmoid",
    "okk_bdc_sigmoid_tunable",
    "okk_bdc_tanh",
    "okk_bdc_tanh_tunable",
    "okk_bdc_reciprocal",
    "okk_bdc_neg",
    "okk_bdc_relu",
    "okk_bdc_bias",
    "okk_bdc_scale",
    "okk_bdc_scale_bias",
    "okk_bdc_conv2d",
    "okk_bdc_depthwise2d",
    "okk_bdc_avg_pool2d",
    "okk_bdc_avg_pool2d_v2",
    "okk_bdc_max_pool2d",
    "okk_bdc_matmul",
    "okk_bdc_fixed_point_packed_add",
    "okk_bdc_fixed_point_packed_add_C",
    "okk_bdc_fixed_point_packed_sub",
    "okk_bdc_fixed_point_packed_sub_C",
    "okk_bdc_fixed_point_packed_C_sub",
    "okk_bdc_fixed_point_packed_mul",
    "okk_bdc_fixed_point_packed_mul_C",
    "okk_bdc_fixed_point_packed_mac",
    "okk_bdc_fixed_point_packed_mac_C",
    "okk_bdc_fixed_point_packed_max",
    "okk_bdc_fixed_point_packed_max_C",
    "okk_bdc_fixed_point_packed_min",
    "okk_bdc_fixed_point_packed_min_C",
    "okk_bdc_fixed_point_packed_16bit_arithmetic_shift",
    "okk_bdc_fixed_point_packed_16bit_logical_shift",
    "okk_bdc_fixed_point_packed_16bit_arithmetic_shift_C",
    "okk_bdc_fixed_point_packed_16bit_logical_shift_C",
    "okk_bdc_fixed_point_packed_16bit_C_arithmetic_shift",
    "okk_bdc_fixed_point_packed_16bit_C_logical_shift",
    "okk_bdc_fixed_point_packed_16bit_mul_8bit",
    "okk_bdc_fixed_point_packed_16bit_split_high_8bit",
    "okk_bdc_fixed_point_packed_16bit_split_low_8bit",
};

}  // namespace

TEST_CASE("the table has exactly the functions of the API reference") {
    REQUIRE(kFunctions.size() == 103);
    std::set<std::string> expected(kFunctions.begin(), kFunctions.end());
    std::set<std::string> actual;
    std::vector<std::string> others;
    for (const isa::InstructionInfo& row : isa::instructions()) {
        if (row.is_function()) {
            actual.insert(std::string("okk_") + row.name);
        } else {
            others.emplace_back(row.name);
        }
    }
    CHECK(actual == expected);
    CHECK(others == std::vector<std::string>{"bdc_taylor_exp_tail"});
    CHECK(isa::instructions().size() == 104);
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
        CHECK(code >> 8 == (gdma ? 1 : 2));
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
        // Every tensor without a fixed layout has its own strides; system memory holds the rows of
        // a matrix one after another, at the distance of row_stride.
        const int matrices = row.timing == isa::TimingClass::kGdmaMatrix ? 1 : 0;
        CHECK(addresses == strides + matrices);
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
