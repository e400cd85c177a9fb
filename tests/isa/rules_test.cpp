// SPDX-License-Identifier: Apache-2.0
#include "isa/rules.h"

#include <climits>

#include "tests/isa/rule_probe.h"

namespace okksim::tests {
namespace {

using isa::InstructionInfo;
using isa::Opcode;
using isa::OperandInfo;
using isa::OperandKind;

/// Checks a range for functions of the API reference, or for the groups beyond it.
void check_limits(const std::string& argument, std::int64_t low, std::int64_t high,
                  bool beyond_reference) {
    const std::string name = argument.substr(0, argument.find("->"));
    const std::string rule = "in [" + std::to_string(low) + ", " + std::to_string(high) + "]";
    for_rows_with(name, [&](const InstructionInfo& row) {
        if ((row.feature != isa::Feature::kBase) != beyond_reference) return;
        Probe(row).set(argument, low).accepted();
        Probe(row).set(argument, high).accepted();
        for (const std::int64_t value :
             {low - 1, high + 1, std::int64_t{INT_MIN}, std::int64_t{INT_MAX}}) {
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
    check_limits("num_series", 1, 64, false);
    check_limits("rshift", 0, 31, false);
    check_limits("rshift", 0, 63, true);
    check_limits("lshift", 0, 31, false);
    check_limits("weight_zp", -128, 127, true);
    for (const bool beyond_reference : {false, true}) {
        check_limits("padding->top", 0, 15, beyond_reference);
        check_limits("padding->bottom", 0, 15, beyond_reference);
        check_limits("padding->left", 0, 15, beyond_reference);
        check_limits("padding->right", 0, 15, beyond_reference);
        check_limits("stride->h", 1, 15, beyond_reference);
        check_limits("stride->w", 1, 15, beyond_reference);
    }
}

TEST_CASE("dilations are in [1, 15]") {
    for_rows_with("dilation", [](const InstructionInfo& row) {
        for (const char* argument : {"dilation->h", "dilation->w"}) {
            // 15 + 15 rows of padding give space for the dilated kernel of (3 - 1) * 15 + 1 = 31
            // rows. One output channel of at most 32 x 32 words just fills a lane.
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
                    Probe(row)
                        .set(argument, value)
                        .rejected(argument, std::to_string(value), "[1,");
                }
                if (!limited) continue;
                for (const std::int64_t value : {high + 1, std::int64_t{INT_MAX}}) {
                    Probe(row)
                        .set(argument, value)
                        .rejected(argument, std::to_string(value),
                                  "in [1, " + std::to_string(high) + "]");
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
            // The samples' elements of any type are words, those of half_mac have 16 bits.
            const bool is_typed = operand.element_word != OperandInfo::kNoWord;
            const int element = row.feature == isa::Feature::kHalfMac ? 2 : isa::kWordBytes;
            const int alignment = layout_only || operand.rules.alignment == isa::kLine
                                      ? small_machine().line_bytes()
                                  : is_typed ? element
                                             : operand.rules.alignment;
            const std::string rule = "divisible by " + std::to_string(alignment);
            Probe(row).move(operand.name, alignment).accepted();
            Probe probe(row);
            probe.move(operand.name, alignment / 2);
            probe.rejected(operand.name, std::to_string(word_of(probe.command(), operand.name)),
                           rule);
            Probe(row).move(operand.name, 1).rejected(operand.name, "", rule);
            // For a command inside a sequence, only word alignment matters.
            if (layout_only) {
                Probe(row).move(operand.name, 4).accepted(false);
                Probe(row)
                    .move(operand.name, 2)
                    .rejected(operand.name, "", "divisible by 4", false, false);
            }
        }
    }
}

TEST_CASE("alignment to a vector is that of the machine") {
    // 12 words are 48 bytes: 48 is aligned and 128 is not.
    isa::MachineShape machine = small_machine();
    machine.vector_words = 12;
    const isa::Command command = Probe(Opcode::bdc_exp).command();
    const auto work = [&](std::uint32_t offset) {
        auto form = command.as<isa::SequenceWork>();
        form.dst_addr = form.src_addr = {0};
        form.work_addr = {offset};
        form.shape = {1, 1, 1, 1};
        return isa::check(isa::Command::make(command.opcode, form), machine, true);
    };
    CHECK(!work(48));
    const auto violation = work(128);
    REQUIRE(violation);
    CHECK(violation->argument == "work_addr");
    CHECK(violation->rule == "divisible by 48");
}

TEST_CASE("a machine without an instruction's feature refuses it by group and parameter") {
    isa::MachineShape machine = small_machine();
    const isa::Command command = Probe(Opcode::bdc_add).command();
    CHECK(!isa::check(command, machine, true));
    machine.features = 0;
    const auto violation = isa::check(command, machine, true);
    REQUIRE(violation);
    CHECK(violation->is_unsupported);
    CHECK(violation->argument == "features.base");
    CHECK_THAT(violation->rule, Catch::StartsWith("bdc_add needs a machine with the instruction "
                                                  "group base"));
    CHECK_THAT(violation->rule, Catch::EndsWith("features.base = true"));
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
            Probe(opcode)
                .move(argument, bytes / 2)
                .rejected(argument, "", "divisible by " + std::to_string(bytes));
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

TEST_CASE("fill constants have the width of their elements") {
    Probe(Opcode::gdma_32bit_set_C_local).set("C", -1).accepted();
    for (const char* width : {"16", "8"}) {
        for (const char* place : {"local", "system"}) {
            const auto* row =
                isa::find_instruction(std::string("gdma_") + width + "bit_set_C_" + place);
            REQUIRE(row != nullptr);
            const int limit = 1 << std::stoi(width);
            Probe(*row).set("C", limit - 1).accepted();
            Probe(*row)
                .set("C", limit)
                .rejected("C", std::to_string(limit), std::string("at most ") + width + " bits");
        }
    }
}

TEST_CASE("GDMA strides along W are one, of groups beyond the API reference anything") {
    for (const InstructionInfo& row : isa::instructions()) {
        if (row.engine != isa::Engine::kGdma) continue;
        for (const OperandInfo& operand : row.operands()) {
            if (operand.kind != OperandKind::kStride) continue;
            const std::string argument = std::string(operand.name) + "->w";
            const bool is_beyond = row.feature != isa::Feature::kBase;
            for (const int value : {0, 2, -1}) {
                Probe probe(row);
                probe.set(argument, value);
                if (!is_beyond) {
                    probe.rejected(argument, std::to_string(value), "equal to 1");
                } else if (value >= 0) {  // the samples start at address 0 of their memories
                    probe.accepted();
                }
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
            Probe(row)
                .set(operand.name, 4 * 4096)
                .rejected(operand.name, "16384", "start lane 4 is one of the 4", true);
            Probe(row)
                .set(operand.name, 0xFFFFFF80)
                .rejected(operand.name, "4294967168", "start lane 1048575", true);
        }
    }
    // (2, 5, 3, 4) from lane 1 of 4: 2 channel slots of 32 words each. The last element is 64 + 32
    // + 11 words after the first, so the tensor takes 108 words = 432 bytes.
    constexpr int kLane1 = 4096;
    Probe(Opcode::bdc_add).set("dst_addr", kLane1 + 4096 - 432).accepted();
    Probe(Opcode::bdc_add)
        .set("dst_addr", kLane1 + 4096 - 428)
        .rejected("dst_addr", "[0xe54, 0x1004)", "0x1000 bytes of a lane's local memory", true);
    // Backwards: 64 words below the start.
    Probe(Opcode::bdc_add).set("src1_stride->n", -64).set("src1_addr", kLane1 + 256).accepted();
    Probe(Opcode::bdc_add)
        .set("src1_stride->n", -64)
        .set("src1_addr", kLane1 + 252)
        .rejected("src1_addr", "[-4,", "local memory", true);
    for (const int stride : {INT_MAX, INT_MIN}) {
        for (const char* argument :
             {"dst_stride->n", "dst_stride->c", "dst_stride->h", "dst_stride->w"}) {
            Probe(Opcode::bdc_add)
                .set(argument, stride)
                .rejected("dst_addr", "", "local memory", true);
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
        copy_to(start + bytes_of_memory - 476)
            .rejected("dst_addr", "bytes [", "one system memory", true);
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
