// SPDX-License-Identifier: Apache-2.0
// Output files are complete, or an error says otherwise: full disks, signals.
#include <nlohmann/json.hpp>

#include "tests/sim/cli/shell.h"
#include "tests/support/catch.h"

namespace okksim::tests {
TEST_CASE("cli/a full disk is exit code 2, whatever is written") {
    const Program program;
    REQUIRE(shell(program, "$P zoo lstm --size 4 --width 0.25 -o net") == 0);
    REQUIRE(shell(program, "$P baseline -o base --filter add_fp32") == 0);
    REQUIRE(shell(program, "$P run net/model.tosa --record net.trace") == 0);
    program.write("list", "bdc.vector_add dst=0 src0=0\n");
    REQUIRE(shell(program, "ln -s /dev/full full && ln -s /dev/full full.vcd") == 0);
    for (const char* line :
         {"$P isa > /dev/full", "$P machine --dump > /dev/full", "$P --help > /dev/full",
          "$P run net/model.tosa > /dev/full", "$P check net net > /dev/full",
          "$P run net/model.tosa --stats full", "$P run net/model.tosa --csv full",
          "$P run net/model.tosa --timeline full", "$P run net/model.tosa --commands full",
          "$P run net/model.tosa --record full", "$P run net/model.tosa --vcd full.vcd",
          "$P replay net.trace --timeline full", "$P compare base base --junit full",
          "$P compare base base --markdown full", "$P compare base base > /dev/full"}) {
        CAPTURE(line);
        CHECK(shell(program, line) == 2);
        CHECK(contains(program.read(".err"), "cannot be written"));
    }
    CHECK(leftovers(program) == 0);
}

TEST_CASE("cli/a disk that fills up leaves the old file") {
    const Program program;
    REQUIRE(shell(program, "$P zoo lstm --size 4 --width 0.25 -o net") == 0);
    program.write("old", "old");
    program.write("old.vcd", "old");
    // Files are limited to 1024 bytes. The limit's signal is ignored, because a full disk sends
    // none.
    const std::string limit = "trap '' XFSZ; ulimit -f 1; ";
    for (const char* line :
         {"$P run net/model.tosa --stats old > /dev/null",
          "$P run net/model.tosa --timeline old > /dev/null",
          "$P run net/model.tosa --record old > /dev/null",
          "$P run net/model.tosa --vcd old.vcd > /dev/null", "$P zoo lstm --size 4 -o other"}) {
        CAPTURE(line);
        CHECK(shell(program, limit + line) == 2);
        CHECK(program.read("old") == "old");
        CHECK(program.read("old.vcd") == "old");
    }
    CHECK_FALSE(std::filesystem::exists(program.folder() / "other" / "model.tosa"));
    CHECK(leftovers(program) == 0);
}

TEST_CASE("cli/a run that is interrupted writes what there is") {
    const Program program;
    const std::pair<const char*, int> signals[] = {{"INT", 128 + 2}, {"TERM", 128 + 15}};
    for (const auto& [name, exit_code] : signals) {
        CAPTURE(name);
        // The kernel never returns; two seconds are enough for its first commands.
        CHECK(shell(program, std::string("timeout --preserve-status -s ") + name +
                                 " 2 $P kernel $K --launch cli_never_returns --timeline t.json"
                                 " --record r --commands c.csv --json") == exit_code);
        const auto report = nlohmann::json::parse(program.read(".out"));
        CHECK(report[0]["bdc_commands"] > 0);
        CHECK(contains(report[0]["fault"]["rule"].get<std::string>(), "asked to end"));
        CHECK(nlohmann::json::parse(program.read("t.json"))["traceEvents"].size() > 1);
        CHECK(contains(program.read("c.csv"), "cli_never_returns"));
        CHECK(shell(program, "$P replay r") == 0);
        CHECK(leftovers(program) == 0);
    }
}

TEST_CASE("cli/a command that a signal ends leaves no file aside") {
    const Program program;
    REQUIRE(shell(program, "mkfifo pipe") == 0);
    // The pipe has no writer: the program waits for input after it has begun its output.
    for (const char* name : {"INT", "TERM", "HUP"}) {
        CAPTURE(name);
        CHECK(shell(program, std::string("(exec 3<>pipe; timeout --preserve-status -s ") + name +
                                 " 1 $P asm - -o out.bin < pipe)") != 0);
        CHECK(leftovers(program) == 0);
        CHECK_FALSE(std::filesystem::exists(program.folder() / "out.bin"));
    }
}

TEST_CASE("cli/a closed standard output is no file of the run") {
    const Program program;
    REQUIRE(shell(program, "$P zoo lstm --size 4 --width 0.25 -o net") == 0);
    CHECK(shell(program, "$P run net/model.tosa >&-") == 2);
    CHECK(shell(program, "$P machine >&- 2>&-") == 2);
}

TEST_CASE("cli/a tree of tests that is interrupted tells of those that were run") {
    const Program program;
    REQUIRE(shell(program, "$P zoo mobilenet_v2 -o tree/net") == 0);
    // The comparison takes longer than a second, and it cannot pass.
    REQUIRE(shell(program,
                  "sed -i 's/\"op\": \"E2E\"/\"op\": \"E2E\", \"expected_file\": [\"image.npy\"]/' "
                  "tree/net/desc.json") == 0);
    REQUIRE(shell(program, "for i in $(seq 99); do cp -rl tree/net tree/$i; done") == 0);
    const int code =
        shell(program, "timeout --preserve-status -s TERM 1 $P conformance tree --json -j2");
    CHECK(code == 128 + 15);
    const auto report = nlohmann::json::parse(program.read(".out"));
    CHECK(report["cases"].size() == 100);
    CHECK(report["skipped"] > 0);
    CHECK(report["passed"] == 0);
}

}  // namespace okksim::tests
