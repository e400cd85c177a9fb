// SPDX-License-Identifier: Apache-2.0
#include "isa/rules.h"

#include <climits>

#include "isa/type_names.h"
#include "tests/isa/sample_commands.h"
#include "tests/support/catch.h"

namespace okksim::tests {
namespace {

using isa::InstructionInfo;
using isa::Opcode;
using isa::OperandInfo;
using isa::OperandKind;

std::uint32_t bits(std::int64_t value) { return static_cast<std::uint32_t>(value); }

/// A sample command of which single arguments are changed.
class Probe {
 public:
    explicit Probe(const InstructionInfo& row) : command_(sample_command(row)) {}
    explicit Probe(Opcode opcode) : Probe(isa::instruction(opcode)) {}

    Probe& set(const std::string& argument, std::int64_t value) {
        word_of(command_, argument) = bits(value);
        return *this;
    }
    /// Adds to an address.
    Probe& move(const std::string& argument, std::int64_t bytes) {
        word_of(command_, argument) += bits(bytes);
        return *this;
    }
    isa::Command& command() { return command_; }

    void accepted(bool as_function = true) {
        const auto violation = isa::check(command_, small_machine(), as_function);
        INFO(command_.info().name);
        if (violation) {
            FAIL_CHECK(violation->argument << " = " << violation->value
                                           << " violates: " << violation->rule);
        } else {
            CHECK(!violation);
        }
    }
    /// The one violation names `argument`, and its value and rule contain the texts.
    void rejected(const std::string& argument, const std::string& value, const std::string& rule,
                  bool is_address = false, bool as_function = true) {
        INFO(command_.info().name << " " << argument << " = " << value);
        const auto violation = isa::check(command_, small_machine(), as_function);
        REQUIRE(violation);
        CHECK(violation->argument == argument);
        CHECK_THAT(violation->value, Catch::Contains(value));
        CHECK_THAT(violation->rule, Catch::Contains(rule));
        CHECK(violation->is_address == is_address);
    }

 private:
    isa::Command command_;
};

/// Calls `body` with every row that has the operand.
template <typename Body>
void for_rows_with(const std::string& name, Body&& body) {
    int rows = 0;
    for (const InstructionInfo& row : isa::instructions()) {
        if (!has_operand(row, name)) continue;
        body(row);
        ++rows;
    }
    CHECK(rows > 0);
}

void check_limits(const std::string& argument, std::int64_t low, std::int64_t high) {
    const std::string name = argument.substr(0, argument.find("->"));
    const std::string rule = "in [" + std::to_string(low) + ", " + std::to_string(high) + "]";
    for_rows_with(name, [&](const InstructionInfo& row) {
        Probe(row).set(argument, low).accepted();
        Probe(row).set(argument, high).accepted();
        for (const std::int64_t value : {low - 1, high + 1, std::int64_t{INT_MIN},
                                         std::int64_t{INT_MAX}}) {
            Probe(row).set(argument, value).rejected(argument, std::to_string(value), rule);
        }
    });
}

}  // namespace

TEST_CASE("a sample of every row keeps every rule") {
    for (const InstructionInfo& row : isa::instructions()) {
        Probe(row).accepted(true);
        Probe(row).accepted(false);
    }
}

TEST_CASE("an opcode outside the table is a violation") {
    Probe probe(Opcode::bdc_add);
    probe.command().opcode = static_cast<Opcode>(0x2FF);
    const auto violation = isa::check(probe.command(), small_machine(), true);
    REQUIRE(violation);
    CHECK(violation->argument == "opcode");
    CHECK(violation->value == "0x2ff");
}

TEST_CASE("ranges of single arguments") {
    check_limits("num_series", 1, 64);
    check_limits("rshift", 0, 31);
    check_limits("lshift", 0, 31);
    check_limits("padding->top", 0, 15);
    check_limits("padding->bottom", 0, 15);
    check_limits("padding->left", 0, 15);
    check_limits("padding->right", 0, 15);
    check_limits("stride->h", 1, 15);
    check_limits("stride->w", 1, 15);
}

TEST_CASE("dilations are in [1, 15]") {
    for_rows_with("dilation", [](const InstructionInfo& row) {
        for (const char* argument : {"dilation->h", "dilation->w"}) {
            // 15 + 15 rows of padding make room for the dilated kernel of (3 - 1) * 15 + 1 = 31;
            // one output channel of at most 32 x 32 words just fills a lane.
            Probe probe(row);
            probe.set("input_shape->n", 1).set("input_shape->c", 1);
            if (has_operand(row, "output_c")) probe.set("output_c", 1);
            probe.set("padding->top", 15).set("padding->bottom", 15);
            probe.set("padding->left", 15).set("padding->right", 15);
            probe.set(argument, 15).accepted();
            for (const int value : {0, 16, -1, INT_MAX}) {
                probe.set(argument, value).rejected(argument, std::to_string(value), "in [1, 15]");
            }
        }
    });
}

TEST_CASE("shift constants have the width of their operand") {
    for (const Opcode opcode :
         {Opcode::bdc_32bit_arithmetic_shift_C, Opcode::bdc_32bit_logical_shift_C}) {
        Probe(opcode).set("C", -32).accepted();
        Probe(opcode).set("C", 32).accepted();
        Probe(opcode).set("C", 33).rejected("C", "33", "in [-32, 32]");
        Probe(opcode).set("C", -33).rejected("C", "-33", "in [-32, 32]");
    }
    for (const Opcode opcode : {Opcode::bdc_fixed_point_packed_16bit_arithmetic_shift_C,
                                Opcode::bdc_fixed_point_packed_16bit_logical_shift_C}) {
        Probe(opcode).set("C", -16).accepted();
        Probe(opcode).set("C", 16).accepted();
        Probe(opcode).set("C", 17).rejected("C", "17", "in [-16, 16]");
        Probe(opcode).set("C", -17).rejected("C", "-17", "in [-16, 16]");
    }
    const Opcode arithmetic = Opcode::bdc_fixed_point_packed_16bit_C_arithmetic_shift;
    const Opcode logical = Opcode::bdc_fixed_point_packed_16bit_C_logical_shift;
    Probe(arithmetic).set("C", -32768).accepted();
    Probe(arithmetic).set("C", 32768).rejected("C", "32768", "in [-32768, 32767]");
    Probe(logical).set("C", 65535).accepted();
    Probe(logical).set("C", -1).rejected("C", "-1", "in [0, 65535]");
    // Any 32-bit constant may be shifted by a tensor.
    Probe(Opcode::bdc_32bit_C_arithmetic_shift).set("C", INT_MIN).accepted();
    Probe(Opcode::bdc_32bit_C_logical_shift).set("C", -1).accepted();
}

TEST_CASE("shapes are positive and within the limits of their function") {
    for (const InstructionInfo& row : isa::instructions()) {
        for (const OperandInfo& operand : row.operands()) {
            if (operand.kind != OperandKind::kShape) continue;
            const bool window = std::string(operand.name) == "input_shape";
            const bool limited = row.engine == isa::Engine::kBdc;
            const std::int64_t hw_max = window ? 2047 : 65535;
            const std::pair<const char*, std::int64_t> members[] = {
                {"->n", 65535}, {"->c", 4095}, {"->h", hw_max}, {"->w", hw_max}};
            for (const auto& [member, high] : members) {
                const std::string argument = std::string(operand.name) + member;
                for (const int value : {0, -1, INT_MIN}) {
                    Probe(row).set(argument, value).rejected(argument, std::to_string(value), "[1,");
                }
                if (!limited) continue;
                for (const std::int64_t value : {high + 1, std::int64_t{INT_MAX}}) {
                    Probe(row).set(argument, value).rejected(
                        argument, std::to_string(value), "in [1, " + std::to_string(high) + "]");
                }
            }
        }
    }
    // The largest batch and extents are allowed when the strides keep the tensor small.
    Probe(Opcode::bdc_32bit_set_C).set("shape->n", 65535).set("dst_stride->n", 0).accepted();
    Probe(Opcode::bdc_32bit_set_C).set("shape->h", 65535).set("dst_stride->h", 0).accepted();
    Probe(Opcode::bdc_32bit_set_C).set("shape->w", 65535).set("dst_stride->w", 0).accepted();
    Probe(Opcode::bdc_32bit_set_C).set("shape->c", 4095).set("dst_stride->c", 0).accepted();
}

TEST_CASE("local addresses are aligned as documented") {
    for (const InstructionInfo& row : isa::instructions()) {
        if (row.engine != isa::Engine::kBdc) continue;
        for (const OperandInfo& operand : row.operands()) {
            if (operand.kind != OperandKind::kLocal) continue;
            const bool layout_only = row.kind == isa::InstructionKind::kAlignedLayout;
            const int alignment = layout_only ? 128 : operand.rules.alignment;
            const std::string rule = "divisible by " + std::to_string(alignment);
            Probe(row).move(operand.name, alignment).accepted();
            Probe probe(row);
            probe.move(operand.name, alignment / 2);
            probe.rejected(operand.name, std::to_string(word_of(probe.command(), operand.name)),
                           rule);
            Probe(row).move(operand.name, 1).rejected(operand.name, "", rule);
            // As a command inside a sequence only the word matters.
            if (layout_only) {
                Probe(row).move(operand.name, 4).accepted(false);
                Probe(row).move(operand.name, 2).rejected(operand.name, "", "divisible by 4", false,
                                                          false);
            }
        }
    }
}

TEST_CASE("the documented alignment of the neural-network functions") {
    const auto alignment = [](Opcode opcode, const char* argument) {
        for (const int bytes : {4, 128}) {
            Probe probe(opcode);
            probe.move(argument, bytes);
            if (!isa::check(probe.command(), small_machine(), true)) return bytes;
        }
        return 0;
    };
    CHECK(alignment(Opcode::bdc_conv2d, "output_addr") == 128);
    CHECK(alignment(Opcode::bdc_conv2d, "input_addr") == 4);
    CHECK(alignment(Opcode::bdc_conv2d, "weight_addr") == 4);
    CHECK(alignment(Opcode::bdc_conv2d, "bias_addr") == 4);
    CHECK(alignment(Opcode::bdc_depthwise2d, "output_addr") == 128);
    CHECK(alignment(Opcode::bdc_depthwise2d, "input_addr") == 128);
    CHECK(alignment(Opcode::bdc_depthwise2d, "weight_addr") == 4);
    CHECK(alignment(Opcode::bdc_max_pool2d, "input_addr") == 128);
    CHECK(alignment(Opcode::bdc_avg_pool2d_v2, "output_addr") == 128);
    CHECK(alignment(Opcode::bdc_matmul, "left_addr") == 128);
    CHECK(alignment(Opcode::bdc_matmul, "bias_addr") == 128);
    CHECK(alignment(Opcode::bdc_exp, "work_addr") == 128);
    CHECK(alignment(Opcode::bdc_int8_to_fp32, "work_addr") == 4);
    CHECK(alignment(Opcode::bdc_add, "src1_addr") == 4);
}

TEST_CASE("GDMA addresses are aligned to their elements") {
    const std::pair<Opcode, int> rows[] = {{Opcode::gdma_32bit_cpy_S2L, 4},
                                           {Opcode::gdma_16bit_cpy_S2L, 2},
                                           {Opcode::gdma_8bit_cpy_S2L, 1}};
    for (const auto& [opcode, bytes] : rows) {
        for (const char* argument : {"dst_addr", "src_addr"}) {
            Probe(opcode).move(argument, bytes).accepted();
            if (bytes == 1) continue;
            Probe(opcode).move(argument, bytes / 2).rejected(
                argument, "", "divisible by " + std::to_string(bytes));
        }
    }
}

TEST_CASE("tensors start in one lane, except where the reference allows others") {
    constexpr int kLaneBytes = 4096;
    for (const InstructionInfo& row : isa::instructions()) {
        std::string first;
        for (const OperandInfo& operand : row.operands()) {
            if (operand.kind != OperandKind::kLocal) continue;
            if (first.empty()) {
                first = operand.name;
                continue;
            }
            const std::string name = operand.name;
            const bool free = (row.opcode == Opcode::bdc_conv2d && name == "input_addr") ||
                              (row.opcode == Opcode::bdc_matmul && name == "left_addr") ||
                              row.engine == isa::Engine::kGdma;
            for (const int bytes : {kLaneBytes, -kLaneBytes}) {
                Probe probe(row);
                probe.move(name, bytes);
                if (free) {
                    probe.accepted();
                } else {
                    probe.rejected(name, bytes > 0 ? "(lane 2)" : "(lane 0)",
                                   "same lane as " + first + " (lane 1)");
                }
            }
        }
    }
}

TEST_CASE("an unused bias tensor may have any address") {
    for_rows_with("using_bias", [](const InstructionInfo& row) {
        Probe(row).set("bias_addr", 3).rejected("bias_addr", "3", "divisible by");
        Probe(row).set("bias_addr", 3).set("using_bias", 0).accepted();
        Probe(row).set("bias_addr", -1).set("using_bias", 0).accepted();
        Probe(row).set("using_bias", 2).rejected("using_bias", "2", "in [0, 1]");
        Probe(row).set("using_bias", -1).rejected("using_bias", "4294967295", "in [0, 1]");
    });
}

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
        const std::string rule =
            "in [" + std::to_string(low) + ", " + std::to_string(high) + "]";
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

TEST_CASE("fill constants have the width of their elements") {
    Probe(Opcode::gdma_32bit_set_C_local).set("C", -1).accepted();
    for (const char* width : {"16", "8"}) {
        for (const char* place : {"local", "system"}) {
            const auto* row = isa::find_instruction(std::string("gdma_") + width + "bit_set_C_" +
                                                    place);
            REQUIRE(row != nullptr);
            const int limit = 1 << std::stoi(width);
            Probe(*row).set("C", limit - 1).accepted();
            Probe(*row).set("C", limit).rejected("C", std::to_string(limit),
                                                 std::string("at most ") + width + " bits");
        }
    }
}

TEST_CASE("windows: padded input, kernel and output") {
    for (const Opcode opcode : {Opcode::bdc_conv2d, Opcode::bdc_depthwise2d,
                                Opcode::bdc_avg_pool2d, Opcode::bdc_avg_pool2d_v2,
                                Opcode::bdc_max_pool2d}) {
        // The sample: 3 x 4 input, padding 1 + 0 and 2 + 1, so 4 x 7 padded.
        Probe(opcode).set("kernel_h", 4).accepted();
        Probe(opcode).set("kernel_h", 5).rejected("kernel_h", "5", "fits into the padded input (4)");
        Probe(opcode).set("kernel_w", 8).rejected("kernel_w", "8", "fits into the padded input (7)");
        Probe(opcode).set("kernel_w", INT_MAX).rejected("kernel_w", "2147483647", "fits");
        Probe(opcode).set("kernel_h", 0).rejected("kernel_h", "0", "in [1,");
        // 2047 rows fit no lane of 4 KiB, so here the extent is at fault, not the shape.
        Probe(opcode).set("input_shape->h", 2046).rejected("output_addr", "bytes", "local memory",
                                                           true);
        Probe(opcode).set("input_shape->h", 2047).rejected("input_shape->h", "2047",
                                                           "paddings (1) at most 2047");
        Probe(opcode).set("input_shape->w", 2045).rejected("input_shape->w", "2045",
                                                           "paddings (3) at most 2047");
    }
    // Kernel 2 dilated by 4 spans 5 rows, one more than there are.
    Probe(Opcode::bdc_conv2d).set("dilation->h", 3).accepted();
    Probe(Opcode::bdc_conv2d).set("dilation->h", 4).rejected("kernel_h", "2", "dilated: 5");
    Probe(Opcode::bdc_conv2d).set("output_c", 4096).rejected("output_c", "4096", "in [1, 4095]");
}

TEST_CASE("matrix dimensions") {
    const Opcode opcode = Opcode::bdc_matmul;
    Probe(opcode).set("left_cols_per_channel", 10).accepted();
    Probe(opcode).set("left_cols_per_channel", 11).rejected("left_cols_per_channel", "11",
                                                            "min(128, left_cols)] = [1, 10]");
    Probe(opcode).set("right_cols_per_channel", 13).rejected("right_cols_per_channel", "13",
                                                             "[1, 12]");
    Probe(opcode).set("left_cols_per_channel", 129).rejected("left_cols_per_channel", "129",
                                                             "in [1, 128]");
    Probe(opcode).set("right_cols_per_channel", 0).rejected("right_cols_per_channel", "0",
                                                            "in [1, 128]");
    Probe(opcode).set("left_rows", 0).rejected("left_rows", "0", "in [1, 65535]");
    Probe(opcode).set("left_rows", 65536).rejected("left_rows", "65536", "in [1, 65535]");
    // 4 columns per channel: 16380 columns are 4095 channels, one more column is one too many.
    Probe(opcode).set("left_cols", 16381).rejected("left_cols", "16381", "take 4096");
    Probe(opcode).set("left_cols", 16380).rejected("left_addr", "", "local memory", true);
    Probe(opcode).set("right_cols", INT_MAX).rejected("right_cols", "2147483647", "4095 channels");
}

TEST_CASE("GDMA strides along W are one") {
    for (const InstructionInfo& row : isa::instructions()) {
        if (row.engine != isa::Engine::kGdma) continue;
        for (const OperandInfo& operand : row.operands()) {
            if (operand.kind != OperandKind::kStride) continue;
            const std::string argument = std::string(operand.name) + "->w";
            for (const int value : {0, 2, -1}) {
                Probe(row).set(argument, value).rejected(argument, std::to_string(value),
                                                         "equal to 1");
            }
            // Other strides of sources may be anything that stays inside the memory.
            Probe(row).set(std::string(operand.name) + "->n", 0).accepted();
        }
    }
}

TEST_CASE("start lanes and extents stay inside local memory") {
    for (const InstructionInfo& row : isa::instructions()) {
        for (const OperandInfo& operand : row.operands()) {
            if (operand.kind != OperandKind::kLocal) continue;
            Probe(row).set(operand.name, 4 * 4096).rejected(operand.name, "16384",
                                                            "start lane 4 is one of the 4", true);
            Probe(row).set(operand.name, 0xFFFFFF80).rejected(operand.name, "4294967168",
                                                              "start lane 1048575", true);
        }
    }
    // (2, 5, 3, 4) from lane 1 of 4: 2 channel slots of 32 words each; the last element is
    // 64 + 32 + 11 words from the first, so the tensor takes 108 words = 432 bytes.
    constexpr int kLane1 = 4096;
    Probe(Opcode::bdc_add).set("dst_addr", kLane1 + 4096 - 432).accepted();
    Probe(Opcode::bdc_add).set("dst_addr", kLane1 + 4096 - 428)
        .rejected("dst_addr", "[0xe54, 0x1004)", "0x1000 bytes of a lane's local memory", true);
    // Backwards: 64 words below the start.
    Probe(Opcode::bdc_add).set("src1_stride->n", -64).set("src1_addr", kLane1 + 256).accepted();
    Probe(Opcode::bdc_add).set("src1_stride->n", -64).set("src1_addr", kLane1 + 252)
        .rejected("src1_addr", "[-4,", "local memory", true);
    for (const int stride : {INT_MAX, INT_MIN}) {
        for (const char* argument : {"dst_stride->n", "dst_stride->c", "dst_stride->h",
                                     "dst_stride->w"}) {
            Probe(Opcode::bdc_add).set(argument, stride).rejected("dst_addr", "", "local memory",
                                                                  true);
        }
    }
}

TEST_CASE("extents stay inside one system memory") {
    const isa::MachineShape machine = small_machine();
    const auto copy_to = [](std::uint64_t address) {
        Probe probe(Opcode::gdma_32bit_cpy_L2S);
        // Continuous rows: (2, 5, 3, 4) = 120 words = 480 bytes.
        probe.set("dst_stride->n", 60).set("dst_stride->c", 12).set("dst_stride->h", 4);
        word_of(probe.command(), "dst_addr") = bits(static_cast<std::int64_t>(address));
        (&word_of(probe.command(), "dst_addr"))[1] = static_cast<std::uint32_t>(address >> 32);
        return probe;
    };
    const std::pair<std::uint64_t, std::uint64_t> memories[] = {
        {machine.global_start, machine.global_bytes},
        {machine.l2_start, machine.l2_bytes},
        {machine.dtcm_start, machine.dtcm_bytes}};
    for (const auto& [start, bytes_of_memory] : memories) {
        copy_to(start).accepted();
        copy_to(start + bytes_of_memory - 480).accepted();
        copy_to(start + bytes_of_memory - 476).rejected("dst_addr", "bytes [", "one system memory",
                                                        true);
        copy_to(start - 4).rejected("dst_addr", "bytes [", "one system memory", true);
    }
    copy_to(0).rejected("dst_addr", "", "one system memory", true);
    copy_to(0xFFFFFFFFFFFFFFFC).rejected("dst_addr", "", "one system memory", true);
    copy_to(0x7FFFFFFFFFFFFFFC).rejected("dst_addr", "", "one system memory", true);
    for (const int extent : {INT_MAX, 65536}) {
        for (const char* argument : {"shape->n", "shape->c", "shape->h", "shape->w"}) {
            const auto violation = isa::check(
                Probe(Opcode::gdma_32bit_cpy_S2S).set(argument, extent).command(), machine, true);
            REQUIRE(violation);
            CHECK(violation->is_address);
        }
    }
}

}  // namespace okksim::tests
