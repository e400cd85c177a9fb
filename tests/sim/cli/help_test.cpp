// SPDX-License-Identifier: Apache-2.0
// Help, suggestions, completion and manual pages come from the same description as the flags.
#include <cstdlib>
#include <sstream>

#include "tests/sim/cli/run_program.h"
#include "tests/support/catch.h"

namespace okksim::tests {
namespace {

constexpr const char* kCommands[] = {
    "run",    "plan",    "coverage", "check",   "kernel",   "golden",      "isa",    "asm",
    "disasm", "machine", "bench",    "convert", "fidelity", "conformance", "record", "replay",
    "trace",  "zoo",     "baseline", "compare", "help",     "completion",  "man"};

std::size_t longest_line(const std::string& text) {
    std::istringstream lines(text);
    std::size_t longest = 0;
    for (std::string line; std::getline(lines, line);) {
        // Lines that are indented are examples, and names of options are never broken.
        if (!line.starts_with(" ")) longest = std::max(longest, line.size());
    }
    return longest;
}

}  // namespace

TEST_CASE("cli/help of a command is its --help") {
    const Program program;
    for (const char* command : {"run", "trace", "asm"}) {
        CAPTURE(command);
        const ProgramRun help = program.run(std::string("help ") + command);
        CHECK(help.exit_code == 0);
        CHECK(help.out == program.run(std::string(command) + " --help").out);
    }
    CHECK(contains(program.run("help trace show").out, "--from"));
    const ProgramRun unknown = program.run("help replya");
    CHECK(unknown.exit_code == 2);
    CHECK(contains(unknown.err, "did you mean \"replay\"?"));
}

TEST_CASE("cli/help is as wide as the terminal") {
    const Program program;
    for (const char* columns : {"60", "80", "120"}) {
        setenv("COLUMNS", columns, 1);
        for (const char* command : kCommands) {
            CAPTURE(columns, command);
            const std::string text = program.run(std::string("help ") + command).out;
            CHECK(longest_line(text) <= std::strtoul(columns, nullptr, 10));
            CHECK_FALSE(contains(text, "TEXT"));  // every value has a name
        }
    }
    unsetenv("COLUMNS");
}

TEST_CASE("cli/flags and commands with a slip of the pen get a suggestion") {
    const Program program;
    const ProgramRun flag = program.run("run net.tosa --timline t.json");
    CHECK(flag.exit_code == 2);
    CHECK(contains(flag.err, "did you mean \"--timeline\"?"));
    const ProgramRun command = program.run("repaly net.trace");
    CHECK(command.exit_code == 2);
    CHECK(contains(command.err, "did you mean \"replay\"?"));
    CHECK_FALSE(contains(program.run("machine --zzzzzzzz").err, "did you mean"));
}

TEST_CASE("cli/bash completes commands and flags") {
    const Program program;
    program.write("c.bash", program.run("completion bash").out);
    const auto complete = [&](const std::string& words, int at) {
        const std::string line = "cd " + program.folder().string() +
                                 " && bash -c 'source ./c.bash; COMP_WORDS=(" + words +
                                 "); COMP_CWORD=" + std::to_string(at) +
                                 "; _okksim; echo ${COMPREPLY[@]}' > completed";
        REQUIRE(std::system(line.c_str()) == 0);
        return program.read("completed");
    };
    CHECK(complete("okksim conf", 1) == "conformance\n");
    CHECK(complete("okksim run --timel", 2) == "--timeline\n");
    CHECK(complete("okksim trace sh", 2) == "show\n");
    CHECK(complete("okksim asm --outp", 2) == "--output\n");
    program.write("network.tosa", "");
    CHECK(complete("okksim run netw", 2) == "network.tosa\n");
    CHECK(program.run("completion fish").exit_code == 2);
    const std::string zsh = program.run("completion zsh").out;
    for (const char* command : kCommands) CHECK(contains(zsh, "'" + std::string(command) + ":"));
}

TEST_CASE("cli/every command has a manual page with its flags") {
    const Program program;
    REQUIRE(program.run("man -o pages").exit_code == 0);
    for (const char* command : kCommands) {
        CAPTURE(command);
        const std::string page = program.read("pages/okksim-" + std::string(command) + ".1");
        CHECK(contains(page, ".TH okksim\\-"));
        CHECK(contains(page, ".SH EXIT STATUS"));
        CHECK(contains(program.read("pages/okksim.1"), "okksim\\-" + std::string(command)));
    }
    CHECK(contains(program.read("pages/okksim-run.1"), "\\-\\-timeline FILE"));
    CHECK(program.run("man run").out == program.read("pages/okksim-run.1"));
}

TEST_CASE("cli/older spellings work on") {
    const Program program;
    REQUIRE(program.run("zoo lstm --size 2 --width 0.25 --out net").exit_code == 0);
    CHECK(program.run("run net/model.tosa -o result").exit_code == 0);
    program.write("list", ".machine bm1684\n");
    const ProgramRun listing = program.run("asm list --output one --machine bm1684");
    CHECK(listing.exit_code == program.run("asm list -o two --machine bm1684").exit_code);
    CHECK(program.read("one") == program.read("two"));
}

}  // namespace okksim::tests
