// SPDX-License-Identifier: Apache-2.0
// Every output in a location that cannot be written: exit code 2 with the path, and no partial
// files.
#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

#include "tests/sim/cli/output_rows.h"
#include "tests/support/catch.h"

namespace okksim::tests {
namespace {

/// Flags of files and folders that are read. --plan-cache is also written, but a plan that cannot
/// be stored only causes a warning.
const std::set<std::string> kRead{
    "--against", "--plan-cache", "--plan",    "--check",   "--expect", "--graphs",
    "--in",      "--input",      "--library", "--machine", "--script", "--silicon",
    "--vectors", "--reference",  "--values",  "--merge",   "--labels"};

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

void check_refused(const Program& program, const std::string& line) {
    CAPTURE(line);
    const int code = shell(program, line);
    const std::string error = program.read(".err");
    CAPTURE(error);
    CHECK(code == 2);
    // A store is also read, so its type is checked first.
    CHECK((contains(error, "cannot be ") || contains(error, "full.sqlite: is no regular file")));
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
         {"run",    "plan",       "inspect", "convert",    "check",      "zoo",
          "kernel", "manual",     "isa",     "asm",        "disasm",     "record",
          "replay", "why",        "debug",   "trace show", "trace diff", "conformance",
          "golden", "baseline",   "compare", "fidelity",   "bench",      "machine",
          "help",   "completion", "man",     "worth",      "sweep",      "report",
          "gate"}) {
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
    // A full device, whatever the ending of its name.
    REQUIRE(
        shell(program,
              "for e in '' .vcd .tosa .mlir .json .csv .sqlite; do ln -s /dev/full full$e; done") ==
        0);
    for (const Row& row : kRows) {
        // The folder does not exist, is not writable, or is a file.
        check_refused(program, with_path(row.line, "/proc/none/x"));
        check_refused(program, with_path(row.line, "list/x"));
        if (!row.is_folder) check_refused(program, with_path(row.line, "none/x"));
        if (!row.is_folder && !row.is_slow) check_refused(program, with_path(row.line, "full"));
    }
    // Files written into an existing folder.
    const std::pair<const char*, const char*> folders[] = {
        {"run net/model.tosa --out x", "hidden.npy"},
        {"zoo lstm --size 4 --width 0.25 -o x", "model.tosa"},
        {"zoo lstm --size 4 --width 0.25 -o x", "sequence.npy"},
        {"zoo lstm --size 4 --width 0.25 -o x", "desc.json"},
        {"conformance tree -o x", "hidden.npy"},
        {"baseline --filter add_fp32 -o x", "add_fp32.func.trace"},
        {"baseline --filter add_fp32 -o x", "add_fp32.time.trace"},
        {"baseline --filter sweep_mobilenet -o x", "sweep_mobilenet_v2_int8.sweep.trace"},
        {"man -o x", "okksim-zoo.1"},
    };
    for (const auto& [line, file] : folders) {
        REQUIRE(shell(program, std::string("rm -rf x; mkdir x; ln -s /dev/full x/") + file) == 0);
        check_refused(program, std::string("$P ") + line);
    }
}

}  // namespace okksim::tests
