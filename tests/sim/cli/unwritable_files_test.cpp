// SPDX-License-Identifier: Apache-2.0
// Everything that can be written, where nothing can be: exit code 2 with the path, and no rests.
#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "tests/sim/cli/shell.h"
#include "tests/support/catch.h"
#include "tests/support/golden_addition.h"

namespace okksim::tests {
namespace {

/// A command line with an output at PATH.
struct Row {
    std::string_view command;
    std::string_view flag;  ///< of the output; empty: an argument
    std::string_view line;
    bool is_folder = false;
    bool is_slow = false;  ///< reports after minutes: only what is told at once is looked for
};

const Row kRows[] = {
    {"run", "--out", "run net/model.tosa --out PATH", true},
    {"run", "--json", "run net/model.tosa --json=PATH"},
    {"run", "--csv", "run net/model.tosa --csv=PATH"},
    {"run", "--record", "run net/model.tosa --record PATH"},
    {"run", "--record", "run net/model.tosa --record PATH --record-data"},
    {"run", "--timeline", "run net/model.tosa --timeline PATH"},
    {"run", "--vcd", "run net/model.tosa --vcd PATH.vcd"},
    {"run", "--commands", "run net/model.tosa --commands PATH"},
    {"kernel", "--out",
     "kernel $K --launch cli_add --arg i32=1 --arg f32=1 --out PATH:f32[1] --in one.npy"},
    {"kernel", "--json", "kernel $K --launch cli_computes --json=PATH"},
    {"kernel", "--csv", "kernel $K --launch cli_computes --csv=PATH"},
    {"kernel", "--record", "kernel $K --launch cli_computes --record PATH"},
    {"kernel", "--timeline", "kernel $K --launch cli_computes --timeline PATH"},
    {"kernel", "--vcd", "kernel $K --launch cli_computes --vcd PATH.vcd"},
    {"kernel", "--commands", "kernel $K --launch cli_computes --commands PATH"},
    {"kernel", "--lines", "kernel $K --launch cli_computes --lines=PATH"},
    {"plan", "--json", "plan net/model.tosa --json=PATH"},
    {"coverage", "--json", "coverage net/model.tosa --json=PATH"},
    {"convert", "--out", "convert net/model.tosa -o PATH.tosa"},
    {"convert", "--out", "convert net/model.tosa -o PATH.mlir"},
    {"check", "--json", "check one.npy one.npy --json=PATH"},
    {"zoo", "--out", "zoo lstm --size 4 --width 0.25 -o PATH", true},
    {"manual", "--examples", "manual --examples PATH"},
    {"isa", "--json", "isa --json=PATH"},
    {"asm", "--out", "asm list --machine bm1684 -o PATH"},
    {"machine", "--json", "machine --json=PATH"},
    {"replay", "--json", "replay net.trace --json=PATH"},
    {"replay", "--csv", "replay net.trace --csv=PATH"},
    {"replay", "--timeline", "replay net.trace --timeline PATH"},
    {"replay", "--record", "replay net.trace --record PATH"},
    {"replay", "--commands", "replay net.trace --commands PATH"},
    {"record", "", "record PATH run net/model.tosa"},
    {"why", "--json", "why net.trace hidden[0,0,0] --json=PATH"},
    {"trace show", "--json", "trace show net.trace --json=PATH"},
    {"trace diff", "--json", "trace diff net.trace net.trace --json=PATH"},
    {"conformance", "--out", "conformance tree -o PATH", true},
    {"conformance", "--json", "conformance tree --json=PATH"},
    {"golden", "--json", "golden golden --json=PATH"},
    {"baseline", "--out", "baseline --filter add_fp32 -o PATH", true},
    {"compare", "--json", "compare base base --json=PATH"},
    {"compare", "--junit", "compare base base --junit PATH"},
    {"compare", "--markdown", "compare base base --markdown PATH"},
    {"fidelity", "--json", "fidelity timing --json=PATH", false, true},
    {"fidelity", "--markdown", "fidelity timing --markdown PATH", false, true},
    {"fidelity", "--ensemble", "fidelity timing --ensemble PATH", false, true},
    {"bench", "--json", "bench --quick --json=PATH", false, true},
    {"man", "--out", "man -o PATH", true},
};

/// Flags of files and folders that are read.
const std::set<std::string> kRead{"--check",   "--expect",  "--graphs",   "--in",
                                  "--input",   "--library", "--machine",  "--script",
                                  "--silicon", "--vectors", "--reference"};

/// Flags in the help of a command whose value is a file or folder.
std::set<std::string> file_flags(const Program& program, const std::string& command) {
    std::set<std::string> flags;
    std::istringstream help(program.run(command + " --help").out);
    for (std::string line; std::getline(help, line);) {
        const std::size_t flag = line.find("--");
        if (flag == std::string::npos || line.find_first_not_of(' ') + 4 < flag) continue;
        const std::size_t end = line.find_first_of(" [=", flag);
        if (end == std::string::npos) continue;
        std::istringstream rest(line.substr(end));
        std::string value;
        rest >> value;
        if (contains(value, "FILE") || contains(value, "DIR")) {
            flags.insert(line.substr(flag, end - flag));
        }
    }
    return flags;
}

void make_inputs(const Program& program) {
    REQUIRE(shell(program, "$P zoo lstm --size 4 --width 0.25 -o net; cp -r net tree") == 0);
    // Any reference will do.
    REQUIRE(
        shell(program,
              "sed -i 's/\"op\": \"E2E\"/\"op\": \"E2E\", \"expected_file\": [\"sequence.npy\"]/' "
              "tree/desc.json") == 0);
    REQUIRE(shell(program, "$P baseline -o base --filter add_fp32") == 0);
    REQUIRE(shell(program, "$P run net/model.tosa --record net.trace --record-data") == 0);
    REQUIRE(shell(program, "mkdir -p golden timing/estimator timing/traces") == 0);
    program.write("list", "");
    program.write("golden/okk_bdc_add.json", golden_addition().dump());
    const float values[] = {1, 2, 3};
    program.write("golden/okk_bdc_add.bin",
                  std::string(reinterpret_cast<const char*>(values), sizeof values));
    program.write("one.npy", std::string("\x93NUMPY\1\0\x76\0", 10) +
                                 "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }" +
                                 std::string(60, ' ') + "\n" + std::string(4, '\0'));
}

std::string with_path(std::string_view line, const std::string& path) {
    std::string text = "$P " + std::string(line);
    text.replace(text.find("PATH"), 4, path);
    return text;
}

void check_refused(const Program& program, const std::string& line) {
    CAPTURE(line);
    const int code = shell(program, line);
    const std::string error = program.read(".err");
    CAPTURE(error);
    CHECK(code == 2);
    CHECK(contains(error, "cannot be "));
    CHECK(leftovers(program) == 0);
}

}  // namespace

TEST_CASE("cli/the table of outputs knows every flag with a file or folder") {
    const Program program;
    std::set<std::string> commands;
    for (const Row& row : kRows) commands.insert(std::string(row.command));
    std::istringstream list(program.run("completion bash").out);
    std::set<std::string> known;
    for (const Row& row : kRows) known.insert(std::string(row.command) + std::string(row.flag));
    for (const char* command :
         {"run",    "plan",       "coverage", "convert",    "check",      "zoo",
          "kernel", "manual",     "isa",      "asm",        "disasm",     "record",
          "replay", "why",        "debug",    "trace show", "trace diff", "conformance",
          "golden", "baseline",   "compare",  "fidelity",   "bench",      "machine",
          "help",   "completion", "man"}) {
        const std::string top = std::string(command).substr(0, std::string(command).find(' '));
        CHECK(contains(list.str(), top));
        for (const std::string& flag : file_flags(program, command)) {
            CAPTURE(command, flag);
            CHECK((kRead.contains(flag) || known.contains(command + flag)));
        }
    }
}

TEST_CASE("cli/what cannot be written is exit code 2, for every output of every command") {
    const Program program;
    make_inputs(program);
    // A device that is full, whatever the name's ending.
    REQUIRE(shell(program, "for e in '' .vcd .tosa .mlir; do ln -s /dev/full full$e; done") == 0);
    for (const Row& row : kRows) {
        // There is no such folder; nobody may write into that one; a file is no folder.
        check_refused(program, with_path(row.line, "/proc/none/x"));
        check_refused(program, with_path(row.line, "list/x"));
        if (!row.is_folder) check_refused(program, with_path(row.line, "none/x"));
        if (!row.is_folder && !row.is_slow) check_refused(program, with_path(row.line, "full"));
    }
    // What is written into a folder that is there.
    const std::pair<const char*, const char*> folders[] = {
        {"run net/model.tosa --out x", "hidden.npy"},
        {"zoo lstm --size 4 --width 0.25 -o x", "model.tosa"},
        {"zoo lstm --size 4 --width 0.25 -o x", "sequence.npy"},
        {"zoo lstm --size 4 --width 0.25 -o x", "desc.json"},
        {"conformance tree -o x", "hidden.npy"},
        {"baseline --filter add_fp32 -o x", "add_fp32.func.trace"},
        {"baseline --filter add_fp32 -o x", "add_fp32.time.trace"},
        {"man -o x", "okksim-zoo.1"},
    };
    for (const auto& [line, file] : folders) {
        REQUIRE(shell(program, std::string("rm -rf x; mkdir x; ln -s /dev/full x/") + file) == 0);
        check_refused(program, std::string("$P ") + line);
    }
}

}  // namespace okksim::tests
