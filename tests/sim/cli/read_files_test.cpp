// SPDX-License-Identifier: Apache-2.0
// A command's output never overwrites a model, a reference or a machine file.
#include <filesystem>
#include <string>
#include <utility>

#include "tests/sim/cli/run_program.h"
#include "tests/sim/cli/shell.h"
#include "tests/support/catch.h"

namespace okksim::tests {
namespace {

constexpr const char* kGraph =
    "func.func @main(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {\n"
    "  %0 = tosa.tanh %a : (tensor<2x3xf32>) -> tensor<2x3xf32>\n"
    "  return %0 : tensor<2x3xf32>\n"
    "}\n";

void require_refused(const Program& program, const std::string& command, const std::string& why) {
    const ProgramRun run = program.run(command);
    INFO(command << ": " << run.err);
    REQUIRE(run.exit_code == 2);
    REQUIRE(contains(run.err, why));
}

/// Checks that the command is refused, names the file at risk, and leaves it unchanged.
void require_kept(const Program& program, const std::string& command, const std::string& file) {
    const std::string before = program.read(file);
    require_refused(program, command, file + ": is also an input file");
    REQUIRE(program.read(file) == before);
}

/// Makes a test of two outputs without inputs.
void make_test(const Program& program, const std::string& folder) {
    std::filesystem::create_directories(program.folder() / folder);
    program.write("g.mlir",
                  "func.func @main() -> (tensor<1xf32>, tensor<1xf32>) {\n"
                  "  %c = \"tosa.const\"() {values = dense<-1.0> : tensor<1xf32>} : () -> "
                  "tensor<1xf32>\n"
                  "  %first = tosa.exp %c : (tensor<1xf32>) -> tensor<1xf32>\n"
                  "  %second = tosa.tanh %c : (tensor<1xf32>) -> tensor<1xf32>\n"
                  "  return %first, %second : tensor<1xf32>, tensor<1xf32>\n}\n");
    REQUIRE(program.run("convert g.mlir -o " + folder + "/test.tosa").exit_code == 0);
    REQUIRE(program.run("run g.mlir --out values").exit_code == 0);
    for (const char* name : {"first", "second"}) {
        program.write(folder + "/" + name + ".npy",
                      program.read("values/" + std::string(name) + ".npy"));
    }
    program.write(folder + "/precise.npy", program.read("values/first.npy"));
    program.write(folder + "/desc.json",
                  R"({"tosa_file": "test.tosa", "expected_failure": false, "ifm_name": [],
        "ifm_file": [], "ofm_name": ["first", "second"], "ofm_file": ["ref.npy", "ref2.npy"],
        "meta": {"compliance": {"tensors": {
            "first": {"mode": "EXACT", "data_type": "FP32", "shape": [1]},
            "second": {"mode": "EXACT", "data_type": "FP32", "shape": [1]}}}},
        "oracle": {"op": "EXP", "expected_file": ["first.npy", "second.npy"],
            "precise_file": ["precise.npy", "second.npy"]}})");
}

}  // namespace

TEST_CASE("A report is not written over what the command reads") {
    const Program program;
    program.write("g.mlir", kGraph);
    for (const char* command :
         {"plan g.mlir --svg g.mlir", "plan g.mlir --json=g.mlir", "coverage g.mlir --json=g.mlir",
          "run g.mlir --no-data --json=g.mlir", "run g.mlir --no-data --csv=./g.mlir",
          "run g.mlir --no-data --html g.mlir", "run g.mlir --no-data --timeline g.mlir",
          "run g.mlir --no-data --record g.mlir", "run g.mlir --keep-values g.mlir"}) {
        require_kept(program, command, "g.mlir");
    }
    REQUIRE(program.run("plan g.mlir --json=p.json").exit_code == 0);
    require_kept(program, "run g.mlir --no-data --plan p.json --json=p.json", "p.json");
    program.write("m.toml", "base = \"bm1684\"\n");
    require_kept(program, "machine m.toml --json=m.toml", "m.toml");
    // A link to the file counts as the file.
    std::filesystem::create_symlink("g.mlir", program.folder() / "link");
    const ProgramRun run = program.run("plan g.mlir --json=link");
    REQUIRE(run.exit_code == 2);
    REQUIRE(program.read("g.mlir") == kGraph);
}

TEST_CASE("A report is not written over a test, judged by it or not") {
    const Program program;
    make_test(program, "t");
    REQUIRE(program.run("conformance t").exit_code == 0);
    for (const char* file : {"desc.json", "test.tosa", "first.npy", "precise.npy"}) {
        require_kept(program, std::string("conformance t --json=t/") + file,
                     std::string("t/") + file);
        require_kept(program, std::string("run t/test.tosa --check t --json=t/") + file,
                     std::string("t/") + file);
    }
    require_kept(program, "run t/test.tosa --check t --timeline t/precise.npy", "t/precise.npy");
    program.write("a.npy", program.read("t/first.npy"));
    require_kept(program, "check a.npy t/first.npy --json=t/first.npy", "t/first.npy");
    // An output that each test's process writes.
    std::filesystem::create_directory(program.folder() / "out");
    const ProgramRun run = program.run("conformance t -o out --json=out/ref.npy");
    INFO(run.out << run.err);
    CHECK(run.exit_code == 2);  // otherwise no output was checked
    CHECK(contains(run.out + run.err, "also writes;"));
    REQUIRE(program.run("baseline -o base --filter add_fp32").exit_code == 0);
    for (const char* flag : {"--junit ", "--json=", "--markdown "}) {
        require_kept(program, std::string("compare base base ") + flag + "base/add_fp32.time.trace",
                     "base/add_fp32.time.trace");
    }
}

TEST_CASE("What a test does not list, or has lost, is told") {
    const Program program;
    make_test(program, "t/a");
    make_test(program, "t/b");
    std::filesystem::remove(program.folder() / "t/b/desc.json");
    ProgramRun run = program.run("conformance t");
    CHECK(run.exit_code == 0);
    CHECK(contains(run.out, "1 passed, 0 failed, 1 skipped"));
    std::string desc = program.read("t/a/desc.json");
    desc.replace(desc.find("\"first\", \"second\""), 17, "\"first\"");
    desc.replace(desc.find("\"ref.npy\", \"ref2.npy\""), 21, "\"ref.npy\"");
    program.write("t/a/desc.json", desc);
    for (const char* command : {"conformance t/a", "run t/a/test.tosa --check t/a"}) {
        run = program.run(command);
        INFO(run.out << run.err);
        CHECK(run.exit_code == 1);
        CHECK(contains(run.out, "second"));
    }
}

TEST_CASE("A limit of files' sizes is an error, not the end") {
    const Program program;
    program.write("g.mlir", kGraph);
    // 512 bytes.
    CHECK(shell(program, "ulimit -f 1; $P machine bm1684 --dump --json=report.json") == 2);
    CHECK(contains(program.read(".err"), "report.json: cannot be written: File too large"));
    CHECK_FALSE(std::filesystem::exists(program.folder() / "report.json"));
    CHECK(shell(program, "ulimit -f 1; $P run g.mlir --json=report.json") == 2);
    CHECK(contains(program.read(".err"), "ulimit -f"));
    CHECK(leftovers(program) == 0);
}

TEST_CASE("A plan's cache is made anew where it is no plan any more") {
    const Program program;
    program.write("g.mlir", kGraph);
    REQUIRE(program.run("plan g.mlir --plan-cache c").exit_code == 0);
    for (const auto& entry : std::filesystem::directory_iterator(program.folder() / "c")) {
        program.write("c/" + entry.path().filename().string(), "no plan");
    }
    REQUIRE(program.run("plan g.mlir --plan-cache c").exit_code == 0);
}

TEST_CASE("A run is not compared with what it writes itself") {
    const Program program;
    program.write("g.mlir", kGraph);
    REQUIRE(program.run("run g.mlir --out gold").exit_code == 0);
    require_refused(program, "run g.mlir --seed 5 --check gold --out ./gold",
                    "the folder that --check reads");
    // Other random inputs give other results; the reference is unchanged.
    REQUIRE(program.run("run g.mlir --check gold").exit_code == 0);
    REQUIRE(program.run("run g.mlir --seed 5 --check gold").exit_code == 1);
}

TEST_CASE("An empty argument is no option that was left out") {
    const Program program;
    program.write("g.mlir", kGraph);
    require_refused(program, "run g.mlir --check \"\"",
                    "--check: is followed by an empty argument");
}

TEST_CASE("What a question to a store does not answer with is refused") {
    const Program program;
    for (const auto& [asked, flag] : {std::pair{"--status", "--csv"},
                                      {"--status", "--front f"},
                                      {"--sql x", "--json"},
                                      {"--compare 0 1", "--csv=c.csv"},
                                      {"--compare 0 1", "--front f"},
                                      {"--json", "--shard 1/2"}}) {
        require_refused(program, std::string("sweep none.sqlite ") + asked + " " + flag,
                        "cannot be combined with");
    }
}

TEST_CASE("A sweep of which every point fails has no answer") {
    const Program program;
    program.write("g.mlir", kGraph);
    const auto sweep = [&](const char* name, const char* lanes) {
        program.write(std::string(name) + ".toml",
                      std::string("name = \"") + name +
                          "\"\n[[workload]]\ngraph = \"g.mlir\"\n[[axis]]\n"
                          "parameter = \"chip.local_memory_bytes\"\nvalues = [" +
                          lanes + "]\n");
        return program.run(std::string("sweep ") + name + ".toml -j1");
    };
    // 64 bytes hold no tile; a sweep may have points that fail.
    const ProgramRun none = sweep("none", "64, 128");
    INFO(none.out << none.err);
    CHECK(none.exit_code == 2);
    CHECK(contains(none.err, "none.sqlite: all 2 points failed"));
    // The text names the workload, the number of machines and the reason.
    CHECK(contains(none.out, "No Pareto front: no machine has a value of every objective"));
    CHECK(contains(none.out, " workload g failed on 2 of 2 machines: "));
    // Points that were computed before fail in the same way.
    CHECK(program.run("sweep none.toml -j1").exit_code == 2);
    CHECK(sweep("some", "64, 524288").exit_code == 0);
    require_refused(program, "sweep some.sqlite --sql 'SELECT 1; SELECT 2'", "takes one query");
    CHECK(program.run("sweep some.sqlite --sql 'SELECT 1 ; '").exit_code == 0);
}

TEST_CASE("Sizes are written alike everywhere") {
    const Program program;
    program.write("g.mlir", kGraph);
    for (const char* size : {"1MiB", "1.5MB", "2e6B", "500kB", "500mb", "1000000"}) {
        CAPTURE(size);
        CHECK(program.run(std::string("run g.mlir --record r --record-limit ") + size).exit_code ==
              0);
    }
    require_refused(program, "run g.mlir --record r --record-limit 1.3B", "--record-limit");
}

TEST_CASE("What is expected of a value is a number or a file") {
    const Program program;
    program.write("g.mlir", kGraph);
    REQUIRE(program.run("run g.mlir --record r --record-data").exit_code == 0);
    require_refused(program, "why r a[0,0] --expect banana", "neither a number nor");
    CHECK(program.run("why r a[0,0]").exit_code == 0);
    // A value that differs ends with 1, within the tolerance with 0.
    CHECK(program.run("why r a[0,0] --expect -1.5e3").exit_code == 1);
    CHECK(program.run("why r a[0,0] --expect -1.5e3 --json").exit_code == 1);
    CHECK(program.run("why r a[0,0] --expect 0 --absolute 1e6").exit_code == 0);
    CHECK(program.run("why r a[0,0] --expect nan").exit_code == 1);
}

TEST_CASE("Two names of a file that is not there yet are one file") {
    const Program program;
    program.write("g.mlir", kGraph);
    require_refused(program, "run g.mlir --no-data --html ./n --timeline n", "name two files");
}

// An input of few channels is copied channel first before the group; its feature map has the
// input's name.
TEST_CASE("A map that is a copy in another order is drawn with its value's name") {
    const Program program;
    REQUIRE(program.run("zoo resnet18 --size 128 --width 0.125 -o net").exit_code == 0);
    const ProgramRun run = program.run("plan net/model.tosa --svg net.svg");
    REQUIRE(run.exit_code == 0);
    REQUIRE(contains(run.out, "(reorder)"));
    REQUIRE(contains(program.read("net.svg"), "<title>image"));
    REQUIRE(!contains(program.read("net.svg"), "<title>: map"));
}

// TOSA 1.0.1, section 2.13.2, REQUIRE(2 <= shift && shift <= 62): TOSA does not allow these shifts
// per channel; the run reports that.
TEST_CASE("A shift for each channel that TOSA does not allow is the run's to report") {
    const Program program;
    program.write(
        "g.mlir",
        "func.func @main(%a: tensor<1x2x2x3xi32>) -> tensor<1x2x2x3xi8> {\n"
        "  %m = \"tosa.const\"() {values = dense<1073741824> : tensor<3xi32>} : () -> "
        "tensor<3xi32>\n"
        "  %s = \"tosa.const\"() {values = dense<[31, 1, 30]> : tensor<3xi8>} : () -> "
        "tensor<3xi8>\n"
        "  %i = \"tosa.const\"() {values = dense<0> : tensor<1xi32>} : () -> tensor<1xi32>\n"
        "  %o = \"tosa.const\"() {values = dense<0> : tensor<1xi8>} : () -> tensor<1xi8>\n"
        "  %r = tosa.rescale %a, %m, %s, %i, %o {input_unsigned = false, output_unsigned = false, "
        "per_channel = true, rounding_mode = SINGLE_ROUND, scale32 = true} : "
        "(tensor<1x2x2x3xi32>, tensor<3xi32>, tensor<3xi8>, tensor<1xi32>, tensor<1xi8>) -> "
        "tensor<1x2x2x3xi8>\n"
        "  return %r : tensor<1x2x2x3xi8>\n"
        "}\n");
    REQUIRE(program.run("plan g.mlir").exit_code == 0);
    const ProgramRun run = program.run("run g.mlir");
    REQUIRE(run.exit_code == 3);
    REQUIRE(contains(run.out + run.err, "2 <= shift && shift <= 62"));
}

}  // namespace okksim::tests
