// SPDX-License-Identifier: Apache-2.0
#include "isa/form_rules.h"

#include <algorithm>
#include <climits>
#include <vector>

#include "isa/type_names.h"
#include "tests/isa/rule_probe.h"

namespace okksim::tests {

using isa::InstructionInfo;
using isa::Opcode;

TEST_CASE("work tensors differ from the tensors they would destroy") {
    for_rows_with("work_addr", [](const InstructionInfo& row) {
        Probe with_destination(row);
        with_destination.set("work_addr", word_of(with_destination.command(), "dst_addr"));
        with_destination.rejected("work_addr", "", "dst_addr = work_addr is not allowed");

        Probe with_source(row);
        with_source.set("work_addr", word_of(with_source.command(), "src_addr"));
        const bool exp_family = row.data == isa::DataType::kFp32;
        if (exp_family) {
            with_source.rejected("work_addr", "", "src_addr = work_addr is not allowed");
        } else {
            with_source.accepted();
        }
        Probe in_place(row);
        in_place.set("dst_addr", word_of(in_place.command(), "src_addr")).accepted();
    });
}

TEST_CASE("operation types are those of the reference") {
    using T = isa::OpType;
    const std::vector<T> signed8 = {T::kS8S8ToS8,  T::kS8S8ToS16, T::kS8U8ToS8,
                                    T::kS8U8ToS16, T::kU8S8ToS8,  T::kU8S8ToS16};
    const std::vector<T> signed16 = {T::kS16S16ToS8,  T::kS16S16ToS16, T::kS16U16ToS8,
                                     T::kS16U16ToS16, T::kU16S16ToS8,  T::kU16S16ToS16};
    std::vector<T> mul = signed8;
    mul.insert(mul.end(), {T::kU8U8ToU8, T::kU8U8ToU16});
    std::vector<T> add = mul;
    add.insert(add.end(), signed16.begin(), signed16.end());
    add.insert(add.end(), {T::kU16U16ToU8, T::kU16U16ToU16});
    std::vector<T> sub = signed8;
    sub.insert(sub.end(), signed16.begin(), signed16.end());
    sub.insert(sub.end(), {T::kU8U8ToS8, T::kU8U8ToS16, T::kU16U16ToS8, T::kU16U16ToS16});
    const std::vector<T> compare = {T::kS8S8ToS8, T::kU8U8ToU8, T::kS16S16ToS16, T::kU16U16ToU16};
    REQUIRE(add.size() == 16);
    REQUIRE(sub.size() == 16);
    REQUIRE(mul.size() == 8);

    int rows = 0;
    for (const InstructionInfo& row : isa::instructions()) {
        if (!has_operand(row, "op_type") || has_operand(row, "is_origin_dst_signed")) continue;
        const std::string name = row.name;
        const std::vector<T>& allowed = name.find("add") != std::string::npos   ? add
                                        : name.find("sub") != std::string::npos ? sub
                                        : name.find("mul") != std::string::npos ? mul
                                                                                : compare;
        for (const isa::NamedOpType& type : isa::op_types()) {
            Probe probe(row);
            probe.set("op_type", static_cast<int>(type.type));
            if (std::find(allowed.begin(), allowed.end(), type.type) != allowed.end()) {
                probe.accepted();
            } else {
                probe.rejected("op_type", type.name, "one of ");
            }
        }
        for (const int value : {2, 7, 10, 15, 32, 39, -1}) {
            Probe(row).set("op_type", value).rejected("op_type", "", "enumerator of op_type_t");
        }
        ++rows;
    }
    CHECK(rows == 11);
}

TEST_CASE("multiply-accumulate types depend on the sign of the old destination") {
    using T = isa::OpType;
    for_rows_with("is_origin_dst_signed", [](const InstructionInfo& row) {
        for (const isa::NamedOpType& type : isa::op_types()) {
            const bool always = type.type == T::kS8S8ToS16 || type.type == T::kS8U8ToS16 ||
                                type.type == T::kU8S8ToS16;
            for (const bool is_signed : {false, true}) {
                Probe probe(row);
                probe.set("op_type", static_cast<int>(type.type))
                    .set("is_origin_dst_signed", is_signed ? 1 : 0);
                if (always || (!is_signed && type.type == T::kU8U8ToU16)) {
                    probe.accepted();
                } else {
                    probe.rejected("op_type", type.name, "one of ");
                }
            }
        }
    });
}

TEST_CASE("the 16-bit by 8-bit product does not support S16_MUL_U8_TO_S16") {
    const Opcode opcode = Opcode::bdc_fixed_point_packed_16bit_mul_8bit;
    for (const int type : {0, 6, 7}) Probe(opcode).set("mul_type", type).accepted();
    Probe(opcode).set("mul_type", 5).rejected("mul_type", "S16_MUL_U8_TO_S16", "not supported");
    Probe(opcode).set("mul_type", 1).rejected("mul_type", "1", "enumerator of mul_type_t");
    Probe(opcode).set("mul_type", -1).rejected("mul_type", "", "enumerator of mul_type_t");
}

TEST_CASE("constants fit their operand type") {
    const auto limits = [](Opcode opcode, isa::OpType type, int low, int high) {
        const std::string rule = "in [" + std::to_string(low) + ", " + std::to_string(high) + "]";
        Probe probe(opcode);
        probe.set("op_type", static_cast<int>(type));
        probe.set("C", low).accepted();
        probe.set("C", high).accepted();
        for (const int value : {low - 1, high + 1, INT_MIN, INT_MAX}) {
            probe.set("C", value).rejected("C", std::to_string(value), rule);
        }
    };
    // Source 0 is the tensor, source 1 the constant; only C_sub has the constant first.
    limits(Opcode::bdc_fixed_point_packed_add_C, isa::OpType::kS8U8ToS16, 0, 255);
    limits(Opcode::bdc_fixed_point_packed_add_C, isa::OpType::kU8S8ToS8, -128, 127);
    limits(Opcode::bdc_fixed_point_packed_sub_C, isa::OpType::kU16S16ToS8, -32768, 32767);
    limits(Opcode::bdc_fixed_point_packed_sub_C, isa::OpType::kS16U16ToS16, 0, 65535);
    limits(Opcode::bdc_fixed_point_packed_C_sub, isa::OpType::kS16U16ToS16, -32768, 32767);
    limits(Opcode::bdc_fixed_point_packed_C_sub, isa::OpType::kU8S8ToS8, 0, 255);
    limits(Opcode::bdc_fixed_point_packed_mul_C, isa::OpType::kU8U8ToU16, 0, 255);
    limits(Opcode::bdc_fixed_point_packed_mac_C, isa::OpType::kU8S8ToS16, -128, 127);
    limits(Opcode::bdc_fixed_point_packed_max_C, isa::OpType::kU16U16ToU16, 0, 65535);
    limits(Opcode::bdc_fixed_point_packed_min_C, isa::OpType::kS8S8ToS8, -128, 127);
}

TEST_CASE("windows: padded input, kernel and output") {
    for (const Opcode opcode : {Opcode::bdc_conv2d, Opcode::bdc_depthwise2d, Opcode::bdc_avg_pool2d,
                                Opcode::bdc_avg_pool2d_v2, Opcode::bdc_max_pool2d}) {
        // The sample: 3 x 4 input, padding 1 + 0 and 2 + 1, so 4 x 7 padded.
        Probe(opcode).set("kernel_h", 4).accepted();
        Probe(opcode)
            .set("kernel_h", 5)
            .rejected("kernel_h", "5", "fits into the padded input (4)");
        Probe(opcode)
            .set("kernel_w", 8)
            .rejected("kernel_w", "8", "fits into the padded input (7)");
        Probe(opcode).set("kernel_w", INT_MAX).rejected("kernel_w", "2147483647", "fits");
        Probe(opcode).set("kernel_h", 0).rejected("kernel_h", "0", "in [1,");
        // No lane of 4 KiB holds 2047 rows, so the extent breaks the rule, not the shape.
        Probe(opcode)
            .set("input_shape->h", 2046)
            .rejected("output_addr", "bytes", "local memory", true);
        Probe(opcode)
            .set("input_shape->h", 2047)
            .rejected("input_shape->h", "2047", "paddings (1) at most 2047");
        Probe(opcode)
            .set("input_shape->w", 2045)
            .rejected("input_shape->w", "2045", "paddings (3) at most 2047");
    }
    // Kernel 2 dilated by 4 spans 5 rows, one more than the input has.
    Probe(Opcode::bdc_conv2d).set("dilation->h", 3).accepted();
    Probe(Opcode::bdc_conv2d).set("dilation->h", 4).rejected("kernel_h", "2", "dilated: 5");
    Probe(Opcode::bdc_conv2d).set("output_c", 4096).rejected("output_c", "4096", "in [1, 4095]");
}

TEST_CASE("matrix dimensions") {
    const Opcode opcode = Opcode::bdc_matmul;
    Probe(opcode).set("left_cols_per_channel", 10).accepted();
    Probe(opcode)
        .set("left_cols_per_channel", 11)
        .rejected("left_cols_per_channel", "11", "min(128, left_cols)] = [1, 10]");
    Probe(opcode)
        .set("right_cols_per_channel", 13)
        .rejected("right_cols_per_channel", "13", "[1, 12]");
    Probe(opcode)
        .set("left_cols_per_channel", 129)
        .rejected("left_cols_per_channel", "129", "in [1, 128]");
    Probe(opcode)
        .set("right_cols_per_channel", 0)
        .rejected("right_cols_per_channel", "0", "in [1, 128]");
    Probe(opcode).set("left_rows", 0).rejected("left_rows", "0", "in [1, 65535]");
    Probe(opcode).set("left_rows", 65536).rejected("left_rows", "65536", "in [1, 65535]");
    // 4 columns per channel: 16380 columns are 4095 channels, one more column is one too many.
    Probe(opcode).set("left_cols", 16381).rejected("left_cols", "16381", "take 4096");
    Probe(opcode).set("left_cols", 16380).rejected("left_addr", "", "local memory", true);
    Probe(opcode).set("right_cols", INT_MAX).rejected("right_cols", "2147483647", "4095 channels");
}

}  // namespace okksim::tests
