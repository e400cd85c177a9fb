// SPDX-License-Identifier: Apache-2.0
#include "isa/assembler.h"

#include <bit>
#include <random>

#include "isa/disassembler.h"
#include "tests/isa/sample_commands.h"
#include "tests/support/catch.h"

namespace okksim::tests {
namespace {

/// Text of a sample copy between global and local memory.
std::string copy_text() {
    return "gdma.32bit_cpy_S2L dst_addr=1:0x0, src_addr=global+0x1300, shape=(2, 5, 3, 4), "
           "dst_stride=(64, 32, 4, 1), src_stride=(64, 32, 4, 1) | id=3 wait_gdma=2 wait_bdc=1";
}

/// Checks that the error points at the first occurrence of `at` (past the text when `at` is empty).
void check_error(const std::string& text, const std::string& at, const std::string& message) {
    const int column = static_cast<int>(at.empty() ? text.size() : text.find(at)) + 1;
    REQUIRE(column > 0);
    try {
        isa::assemble_line(text, small_machine(), 9);
        FAIL_CHECK("assembled: " << text);
    } catch (const isa::AssemblyError& error) {
        INFO(text << "\n" << error.what());
        CHECK(error.line() == 9);
        CHECK(error.column() == column);
        CHECK_THAT(error.what(), Catch::Contains(message));
        CHECK(error.where() == "line 9, column " + std::to_string(column));
    }
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    return text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("assemble is the inverse of disassemble for every command") {
    std::mt19937 random(11);
    isa::MachineShape machine = small_machine();
    for (int round = 0; round < 200; ++round) {
        machine.lanes = 1 + static_cast<int>(random() % 64);
        machine.local_bytes = 1 + random() % (1u << 26);
        for (const isa::InstructionInfo& row : isa::instructions()) {
            if (!row.is_command()) continue;
            const isa::Command command = random_record(row, random);
            const std::string text = isa::disassemble(command, machine);
            const isa::Command again = isa::assemble_line(text, machine);
            if (again != command) FAIL(text);
            if (isa::disassemble(again, machine) != text) FAIL(text);
        }
    }
    CHECK(isa::disassemble(isa::assemble_line(copy_text(), small_machine()), small_machine()) ==
          copy_text());
}

TEST_CASE("a line is readable") {
    isa::Command command = sample_command(isa::instruction(isa::Opcode::bdc_add_C));
    command.id = 7;
    command.wait_gdma = 4;
    // Channel slots of 5 channels from lane 1 of 4: 2; plane of 12 words rounded up to 32.
    const std::string operation =
        "bdc.add_C dst_addr=1:0x0, src_addr=1:0x300, C=0.5, shape=(2, 5, 3, 4), "
        "dst_stride=(64, 32, 4, 1), src_stride=(64, 32, 4, 1)";
    CHECK(isa::disassemble(command, small_machine()) == operation + " | id=7 wait_gdma=4");
    CHECK(isa::disassemble_operation(command, small_machine()) == operation);

    command = sample_command(isa::instruction(isa::Opcode::bdc_fixed_point_packed_mac_C));
    const std::string text = isa::disassemble_operation(command, small_machine());
    CHECK_THAT(text, Catch::Contains("is_origin_dst_signed=true, op_type=S8_OP_U8_TO_S16, "
                                     "lshift=2, rshift=3"));
}

TEST_CASE("the bits of every float survive") {
    isa::Command command = sample_command(isa::instruction(isa::Opcode::bdc_add_C));
    const isa::MachineShape machine = small_machine();
    std::mt19937 random(5);
    std::vector<std::uint32_t> patterns = {0x00000000, 0x80000000, 0x00000001, 0x807FFFFF,
                                           0x00800000, 0x7F7FFFFF, 0x7F800000, 0xFF800000,
                                           0x7FC00000, 0xFFC00001, 0x7F800001, 0x3DCCCCCD};
    for (int i = 0; i < 5000; ++i) patterns.push_back(random());
    for (const std::uint32_t pattern : patterns) {
        word_of(command, "C") = pattern;
        const std::string text = isa::disassemble(command, machine);
        if (isa::assemble_line(text, machine) != command) FAIL(text);
    }
    const auto constant = [&](std::uint32_t pattern) {
        word_of(command, "C") = pattern;
        const std::string text = isa::disassemble(command, machine);
        const std::size_t start = text.find("C=") + 2;
        return text.substr(start, text.find(',', start) - start);
    };
    CHECK(constant(std::bit_cast<std::uint32_t>(0.1f)) == "0.1");
    CHECK(constant(0x80000000) == "-0");
    CHECK(constant(0xFF800000) == "-inf");
    CHECK(constant(0x7FC00001) == "0x7fc00001");
}

TEST_CASE("operands may come in any order and notation") {
    const isa::MachineShape machine = small_machine();
    const isa::Command command = isa::assemble_line(copy_text(), machine);
    CHECK(isa::assemble_line(
              "  gdma.32bit_cpy_S2L  src_stride=(64,32,4,1),dst_stride=( 0x40, 32, 4, 1 ),\t"
              "shape=(2,5,3,4), src_addr=0x100001300, dst_addr=0x1000|id=3 wait_bdc=1 wait_gdma=2"
              "   # comment, with | and =",
              machine) == command);
    const isa::Command without_ids =
        isa::assemble_line(copy_text().substr(0, copy_text().find('|')), machine);
    CHECK(without_ids.words == command.words);
    CHECK(without_ids.id == 0);
}

TEST_CASE("errors name line, column and what was expected") {
    const std::string good = copy_text();
    check_error("", "", "expected a mnemonic such as bdc.add; the line ends");
    check_error("bdc.multiply dst=0", "bdc", "expected a mnemonic such as bdc.add; found 'bdc.mul");
    check_error("okk_bdc_add dst_addr=0", "okk", "a mnemonic");
    check_error(" bdc.exp dst_addr=0:0", "bdc", "okk_bdc_exp is a function that consists of");
    check_error("gdma.32bit_cpy_S2L", "", "expected the name of an operand; the line ends");
    check_error(replaced(good, "src_addr", "src0_addr"), "src0", "not given yet: src_addr shape");
    check_error(replaced(good, "src_addr=global+0x1300", "dst_addr=2:0x0"), "dst_addr=2",
                "not given yet: src_addr");
    check_error(replaced(good, "=1:0x0", " 1:0x0"), "1:0x0", "expected '='; found '1:0x0");
    check_error(replaced(good, "1:0x0", "1:4096"), "1:4096", "an offset below 4096");
    check_error(replaced(good, "1:0x0", "1048576:0"), "1048576:0", "a local address of 32 bits");
    check_error(replaced(good, "1:0x0", "0x100000000"), "0x1000000", "a local address of 32 bits");
    check_error(replaced(good, "global", "dram"), "dram", "global+offset");
    check_error(replaced(good, "global+0x1300", "l2+0x2000"), "0x2000", "an offset below 8192");
    check_error(replaced(good, "(2, 5, 3, 4)", "(2, 5, 3)"), "), dst", "expected ','; found ')");
    check_error(replaced(good, "(2, 5, 3, 4)", "(2, 5, x, 4)"), "x, 4", "an integer");
    check_error(replaced(good, "(2, 5, 3, 4)", "(4294967296, 5, 3, 4)"), "4294967296", "32 bits");
    check_error(replaced(good, "(2, 5, 3, 4)", "(-2147483649, 5, 3, 4)"), "-2147483649", "32 bits");
    check_error(replaced(good, "wait_bdc", "wait_mcu"), "wait_mcu", "id, wait_gdma or wait_bdc");
    check_error(replaced(good, " | id", " id"), "id=3", "'|' or the end of the line");
}

TEST_CASE("a listing carries machine, comments and automatic ids") {
    const isa::CommandFile file = isa::assemble(
        "# two engines in serial mode\n"
        ".machine lanes=4 local_bytes=4096 local_banks=8 vector_words=32 l2_start=0x10000 "
        "l2_bytes=0x2000 "
        "dtcm_start=0x20000 dtcm_bytes=4096 global_start=0x100000000 global_bytes=0x10000\n"
        "\n"
        "gdma.8bit_set_C_local dst_addr=0:0, C=1, shape=(1,1,1,4), dst_stride=(4,4,4,1)\r\n"
        "bdc.32bit_set_C dst_addr=0:0x100, C=1, shape=(1,1,1,4), dst_stride=(4,4,4,1)\n"
        "gdma.8bit_set_C_local dst_addr=0:0, C=1, shape=(1,1,1,4), dst_stride=(4,4,4,1)");
    REQUIRE(file.commands.size() == 3);
    CHECK(file.machine.global_start == 0x100000000);
    CHECK(file.commands[0].id == 1);
    CHECK(file.commands[0].wait_gdma == 0);
    CHECK(file.commands[1].id == 1);
    CHECK(file.commands[1].wait_gdma == 1);
    CHECK(file.commands[2].id == 2);
    CHECK(file.commands[2].wait_gdma == 1);
    CHECK(file.commands[2].wait_bdc == 1);

    const std::string listing = isa::disassemble(file);
    const isa::CommandFile again = isa::assemble(listing);
    CHECK(again.commands == file.commands);
    CHECK(isa::disassemble(again) == listing);
    CHECK(isa::encode(again) == isa::encode(file));
}

TEST_CASE("errors in a listing") {
    const auto message = [](const std::string& text) {
        try {
            isa::assemble(text);
        } catch (const isa::AssemblyError& error) {
            return std::string(error.what());
        }
        return std::string("assembled");
    };
    CHECK(message("") == "line 1, column 1: expected a .machine line; the text is empty");
    CHECK_THAT(message("\n" + copy_text()),
               Catch::StartsWith("line 2, column 1: expected a .mach"));
    CHECK_THAT(message(".chip lanes=4"), Catch::StartsWith("line 1, column 2: expected machine"));
    CHECK_THAT(message(".machine lanes=4 cores=4"),
               Catch::StartsWith("line 1, column 18: expected one of the fields of a machine"));
    CHECK_THAT(message(".machine lanes=4"), Catch::Contains("expected the field local_bytes"));
    CHECK_THAT(message(".machine lanes=4294967296"), Catch::Contains("a smaller number"));
    CHECK_THAT(
        message(".machine lanes=0 local_bytes=1 local_banks=1 vector_words=1 l2_start=0 l2_bytes=0 "
                "dtcm_start=0 dtcm_bytes=0 global_start=0 global_bytes=0"),
        Catch::Contains("lanes = 0 is less than 1"));
}

TEST_CASE("garbage never upsets the assembler") {
    std::mt19937 random(13);
    const std::string good = copy_text();
    const std::string alphabet = "0123456789abcxyz_.:,=()|+-# \t\n\"\x01\xff";
    int refused = 0;
    for (int round = 0; round < 20000; ++round) {
        std::string text = good;
        for (std::uint32_t i = random() % 6 + 1; i > 0; --i) {
            const std::size_t at = random() % text.size();
            if (random() % 3 == 0)
                text.erase(at, random() % 4);
            else
                text[at] = alphabet[random() % alphabet.size()];
            if (text.empty()) text = " ";
        }
        try {
            isa::assemble(text, small_machine());
        } catch (const isa::AssemblyError&) {
            ++refused;
        }
    }
    CHECK(refused > 10000);
}

}  // namespace okksim::tests
