// SPDX-License-Identifier: Apache-2.0
// Help, suggestions, completion and manual pages come from the same description as the flags.
#include <cstdlib>
#include <sstream>

#include "tests/sim/cli/run_program.h"
#include "tests/sim/cli/shell.h"
#include "tests/support/catch.h"

namespace okksim::tests {
namespace {

constexpr const char* kCommands[] = {
    "run",        "plan",   "inspect", "check", "kernel",   "golden",   "isa",
    "asm",        "disasm", "machine", "bench", "convert",  "fidelity", "conformance",
    "record",     "replay", "trace",   "zoo",   "baseline", "compare",  "help",
    "completion", "man",    "why",     "debug", "manual",   "worth",    "gate"};

std::size_t longest_line(const std::string& text, std::size_t columns) {
    std::istringstream lines(text);
    std::size_t longest = 0;
    for (std::string line; std::getline(lines, line);) {
        // Examples and names of options are never broken; examples fit 80 columns.
        const bool is_broken = !line.starts_with(" ");
        const bool is_example = line.starts_with("  okksim ") && columns >= 80;
        if (is_broken || is_example) longest = std::max(longest, line.size());
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
    CHECK(program.run("help").out == program.run("--help").out);
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
            const std::size_t width = std::strtoul(columns, nullptr, 10);
            CHECK(longest_line(text, width) <= width);
            for (const char* unnamed : {"TEXT", "UINT", "INT ", "FLOAT"}) {
                CHECK_FALSE(contains(text, unnamed));  // every value has a name
            }
            CHECK(contains(text, std::string("\n  okksim ") + command));  // an example
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
    CHECK(contains(command.err, "repaly: is no command"));
    CHECK(contains(program.run("xyzzy").err, "xyzzy: is no command; `okksim --help` lists them"));
    CHECK(contains(program.run("trace shw t").err,
                   "shw: is no command; did you mean \"show\"?; `okksim trace --help`"));
    CHECK(contains(program.run("machine bm1648").err, "did you mean \"bm1684\"?"));
    CHECK_FALSE(contains(program.run("machine --zzzzzzzz").err, "did you mean"));
    for (const auto& [line, meant] : {std::pair{"help rn", "run"},
                                      {"zoo vgg61 -o net", "vgg16"},
                                      {"manual okk_bdc_ad", "okk_bdc_add"},
                                      {"run text.mlir --function man", "main"}}) {
        CAPTURE(line);
        program.write("text.mlir",
                      "func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {\n"
                      "  return %arg0 : tensor<4xf32>\n}\n");
        CHECK(contains(program.run(line).err, "did you mean \"" + std::string(meant) + "\"?"));
    }
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
    CHECK(complete("okksim asm --ou", 2) == "--out\n");
    program.write("network.tosa", "");
    CHECK(complete("okksim run netw", 2) == "network.tosa\n");
    CHECK(program.run("completion fish").exit_code == 2);
    const std::string zsh = program.run("completion zsh").out;
    for (const char* command : kCommands) CHECK(contains(zsh, "'" + std::string(command) + ":"));
    // zsh accepts "=" only before the description, and calls the file itself the first time.
    CHECK_FALSE(contains(zsh, "]="));
    CHECK(contains(zsh, "'*--timeline=["));
    CHECK(contains(zsh, "'*--json=-["));
    CHECK(contains(zsh, "'*--energy["));
    CHECK(contains(zsh, "'1:command:(show diff "));
    CHECK(contains(zsh, "_okksim \"$@\""));
    program.write("_okksim", zsh);
    CHECK(shell(program, "! command -v zsh > /dev/null || zsh -n _okksim") == 0);
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
    CHECK(program.run("run net/model.tosa --stats old.json --csv old.csv").exit_code == 0);
    CHECK(program.run("run net/model.tosa --json=new.json --csv=new.csv").exit_code == 0);
    CHECK(program.read("old.csv") == program.read("new.csv"));
    CHECK(contains(program.read("old.json"), "simulated_us"));
    CHECK(program.run("plan net/model.tosa --output plan.json").exit_code == 0);
    CHECK(contains(program.read("plan.json"), "steps"));
    CHECK_FALSE(contains(program.run("help run").out, "--stats"));
}

TEST_CASE("cli/reports go to standard output instead of text, or to files beside it") {
    const Program program;
    REQUIRE(program.run("zoo lstm --size 2 --width 0.25 --out net").exit_code == 0);
    const std::string run = "run net/model.tosa";
    for (const char* one : {run.c_str(), "plan net/model.tosa", "inspect net/model.tosa --no-time",
                            "machine", "isa"}) {
        const std::string command = one;
        CAPTURE(command);
        const std::string text = program.run(command).out;
        const std::string printed = program.run(command + " --json").out;
        CHECK(printed.front() == '{');
        const ProgramRun both = program.run(command + " --json=report");
        CHECK(both.exit_code == 0);
        CHECK(both.out.substr(0, 20) == text.substr(0, 20));
        CHECK(program.read("report").substr(0, 20) == printed.substr(0, 20));
    }
    // CSV may be printed, too, but not together with JSON.
    CHECK(contains(program.run(run + " --csv").out, "index,block,operator"));
    const ProgramRun two = program.run(run + " --csv --json");
    CHECK(two.exit_code == 2);
    CHECK(contains(two.err, "standard output takes only one report"));
    CHECK(program.run(run + " --csv --json=report").exit_code == 0);
}

TEST_CASE("cli/a refused argument is named with command, rule and advice") {
    const Program program;
    const auto complaint = [&](const std::string& line) {
        const ProgramRun run = program.run(line);
        CHECK(run.exit_code == 2);
        return run.err;
    };
    const std::string help = "; `okksim help run` lists the arguments\n";
    CHECK(complaint("run") == "okksim run: model: is missing" + help);
    CHECK(complaint("run m --no-such") == "okksim run: --no-such: no flag of this command" + help);
    CHECK(contains(complaint("run m --timelines x"), "did you mean \"--timeline\"?"));
    CHECK(complaint("run m more") == "okksim run: more: more than the command takes" + help);
    CHECK(complaint("run m --values v") ==
          "okksim run: --values: needs --no-data; give both" + help);
    CHECK(complaint("run m --no-data --out x") ==
          "okksim run: --out: cannot be combined with --no-data; leave out one of them" + help);
    CHECK(complaint("run m --set") ==
          "okksim run: --set: has no value; give SECTION.KEY=VALUE" + help);
    CHECK(contains(complaint("run m --threads 0"), "okksim run: --threads: "));
    CHECK(complaint("zoo bert -o x --size y") ==
          "okksim zoo: --size: \"y\" is not of the form COUNT; `okksim help zoo` lists the "
          "arguments\n");
    CHECK(complaint("trace show") ==
          "okksim trace show: trace: is missing; `okksim help trace show` lists the arguments\n");
    CHECK(complaint("") == "okksim: no command is given; `okksim help` lists the commands\n");
}

TEST_CASE("cli/verdicts have a colour on terminals that want one") {
    const Program program;
    REQUIRE(program.run("zoo lstm --size 2 --width 0.25 --out net").exit_code == 0);
    REQUIRE(program.run("run net/model.tosa --out a").exit_code == 0);
    const auto on_terminal = [&](const std::string& settings) {
        const std::string line = "cd " + program.folder().string() + " && " + settings +
                                 " script -qec '" OKKSIM_PROGRAM " check a a' shown > /dev/null";
        REQUIRE(std::system(line.c_str()) == 0);
        return program.read("shown");
    };
    CHECK(contains(on_terminal("TERM=xterm NO_COLOR="), "\033[32mpassed,\033[0m"));
    CHECK_FALSE(contains(on_terminal("TERM=xterm NO_COLOR=1"), "\033[32m"));
    CHECK_FALSE(contains(on_terminal("TERM=dumb NO_COLOR="), "\033[32m"));
    CHECK_FALSE(contains(program.run("check a a").out, "\033"));
}

}  // namespace okksim::tests
