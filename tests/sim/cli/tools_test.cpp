// SPDX-License-Identifier: Apache-2.0
// Commands that describe: machine, isa, asm, disasm, help.
#include <nlohmann/json.hpp>

#include "tests/sim/cli/run_program.h"
#include "tests/sim/cli/shell.h"
#include "tests/support/catch.h"
#include "tests/support/golden_addition.h"

namespace okksim::tests {

TEST_CASE("cli/help names every command, each has a help of its own") {
    const Program program;
    const ProgramRun help = program.run("--help");
    CHECK(help.exit_code == 0);
    for (const char* command :
         {"run",    "plan",   "inspect", "check", "kernel",      "golden",   "isa",
          "asm",    "disasm", "machine", "bench", "conformance", "fidelity", "record",
          "replay", "why",    "debug",   "trace", "zoo",         "baseline", "compare"}) {
        CAPTURE(command);
        CHECK(contains(help.out, command));
        const ProgramRun own = program.run(std::string(command) + " --help");
        CHECK(own.exit_code == 0);
        CHECK(contains(own.out, "Usage: okksim"));
    }
}

TEST_CASE("cli/no command and an unknown flag are wrong usage") {
    const Program program;
    CHECK(program.run("").exit_code == 2);
    CHECK(program.run("machine --nonsense").exit_code == 2);
}

TEST_CASE("cli/a threshold is a share however it is written") {
    const Program program;
    REQUIRE(program.run("baseline -o base --filter add_fp32").exit_code == 0);
    for (const char* two_percent : {"2", "2%", "2.0", "0.02"}) {
        CAPTURE(two_percent);
        const ProgramRun run =
            program.run(std::string("compare base base --json --threshold ") + two_percent);
        CHECK(run.exit_code == 0);
        CHECK(nlohmann::json::parse(run.out)["threshold"] == 0.02);
    }
    for (const char* wrong : {"-2", "2%%", "two", "nan", "inf"}) {
        CAPTURE(wrong);
        const ProgramRun run = program.run(std::string("compare base base --threshold=") + wrong);
        CHECK(run.exit_code == 2);
        CHECK(contains(run.err, "is not a share"));
    }
    CHECK(program.run("compare base base --threshold 100").exit_code == 0);
    for (const char* large : {"1e9", "101", "100.1%"}) {
        CAPTURE(large);
        const ProgramRun run = program.run(std::string("compare base base --threshold ") + large);
        CHECK(run.exit_code == 2);
        CHECK(contains(run.err, "more than 100 %"));
    }
}

#ifndef __SANITIZE_ADDRESS__  // which reserves more memory than the limit
TEST_CASE("cli/too little memory is the host's failure, not a difference or a fault of the guest") {
    const Program program;
    REQUIRE(program.run("zoo mobilenet_v2 -o net").exit_code == 0);
    // 150 MB hold the program, but no simulated machine. A folder of the zoo has no expected
    // outputs, so conformance_test has the case of `okksim conformance`.
    for (const char* command :
         {"run --no-data net/model.tosa", "baseline -o base --filter add_fp32 -j1",
          "worth net/model.tosa -j1"}) {
        CAPTURE(command);
        CHECK(shell(program, std::string("ulimit -v 150000; $P ") + command) == 2);
        const std::string text = program.read(".err");
        CHECK(contains(text, "the host's memory is used up"));
        CHECK(text.find("memory is used up") == text.rfind("memory is used up"));
    }
}
#endif

TEST_CASE("cli/limits are numbers of at least 0") {
    const Program program;
    REQUIRE(program.run("zoo lstm --size 4 --width 0.25 -o net").exit_code == 0);
    for (const char* wrong :
         {"--command-budget=-5", "--seed=-1", "--relative nan", "--record-limit=-5"}) {
        CAPTURE(wrong);
        const ProgramRun run = program.run(std::string("run net/model.tosa ") + wrong);
        CHECK(run.exit_code == 2);
        CHECK(contains(run.err, "at least 0"));
    }
}

TEST_CASE("cli/an input without an end is refused at once") {
    const Program program;
    for (const char* command :
         {"asm /dev/zero -o x", "disasm /dev/zero", "machine /dev/zero", "run /dev/zero"}) {
        CAPTURE(command);
        const ProgramRun run = program.run(command);
        CHECK(run.exit_code == 2);
        CHECK(contains(run.err, "not a regular file"));
    }
}

TEST_CASE("cli/a tree of which nothing was checked is no success") {
    const Program program;
    REQUIRE(program.run("zoo lstm --size 4 --width 0.25 -o tree/net").exit_code == 0);
    program.write("tree/net/desc.json",
                  R"({"tosa_file": "model.tosa", "expected_failure": true, "ifm_name": [],)"
                  R"( "ifm_file": [], "ofm_name": [], "ofm_file": []})");
    std::filesystem::create_directories(program.folder() / "empty");
    const ProgramRun run = program.run("conformance tree --graphs empty");
    CHECK(run.exit_code == 2);
    CHECK(contains(run.err, "nothing was checked: all 1 tests were skipped"));
    // Golden vectors whose cases are all skipped.
    std::filesystem::create_directories(program.folder() / "golden");
    auto vectors = golden_addition();
    vectors["cases"][0]["note"] = {"out_of_range"};
    program.write("golden/okk_bdc_add.json", vectors.dump());
    program.write("golden/okk_bdc_add.bin", std::string(12, '\0'));
    const ProgramRun golden = program.run("golden golden");
    CHECK(golden.exit_code == 2);
    CHECK(contains(golden.err, "nothing was checked: all 1 cases were skipped"));
    CHECK(contains(golden.out, "0 passed, 0 failed, 1 skipped"));
}

TEST_CASE("cli/a dumped machine is a machine file that changes nothing") {
    const Program program;
    const ProgramRun dump = program.run("machine --dump --set chip.lanes=8");
    REQUIRE(dump.exit_code == 0);
    CHECK(contains(dump.out, "lanes = 8 "));
    program.write("m.toml", dump.out);
    const ProgramRun again = program.run("machine m.toml --dump --json");
    const ProgramRun first = program.run("machine --dump --json --set chip.lanes=8");
    CHECK(again.exit_code == 0);
    const auto values = [](const std::string& text) {
        auto json = nlohmann::json::parse(text);
        std::map<std::string, std::string> map;
        for (const auto& parameter : json["parameters"]) {
            map[parameter["path"].get<std::string>()] = parameter["value"].dump();
        }
        return map;
    };
    CHECK(values(again.out) == values(first.out));
    CHECK(values(first.out).size() > 20);
}

TEST_CASE("cli/area and power of a machine, by component") {
    const Program program;
    // Twice the lanes have twice the memory: 64 x 512 KiB of 1100 um2 each.
    const auto local_mm2 = [&](const std::string& settings) {
        const auto json = nlohmann::json::parse(program.run("machine --json" + settings).out);
        double sum = 0;
        double local = 0;
        for (const auto& component : json["area"]["components"]) {
            sum += component["mm2"].get<double>();
            if (component["name"] == "local memory") local = component["mm2"];
        }
        CHECK(json["area"]["mm2"].get<double>() == Approx(sum));
        return local;
    };
    CHECK(local_mm2("") == Approx(64 * 512 * 1100e-6));
    CHECK(local_mm2(" --set chip.lanes=128") == Approx(128 * 512 * 1100e-6));
    const ProgramRun area = program.run("machine --area");
    CHECK(area.exit_code == 0);
    CHECK(contains(area.out, "local memory"));
    const ProgramRun power = program.run("machine --power");
    CHECK(power.exit_code == 0);
    CHECK(contains(power.out, "multiply-adds"));
    CHECK(contains(power.out, "published of the reference chip: 16 W"));
    CHECK(program.run("machine --area --dump").exit_code == 2);
}

TEST_CASE("cli/a machine is the same however its numbers are written") {
    const Program program;
    const auto hash = [&](const std::string& rate) {
        const ProgramRun run =
            program.run("machine --dump --json --set dram.write_bytes_per_nanosecond=" + rate);
        return nlohmann::json::parse(run.out)["hash"].get<std::string>();
    };
    CHECK(hash("24") == hash("24.0"));
    CHECK(hash("27.3") == hash("2.73e1"));
    CHECK(hash("27.3") != hash("27.30001"));
    CHECK(contains(program.run("machine --dump").out, "write_bytes_per_nanosecond = 27.3 "));
}

TEST_CASE("cli/a machine file may start from a built-in one") {
    const Program program;
    program.write("m.toml", "base = \"bm1684\"\n[chip]\nlanes = 8\nlocal_memory_bytes = 32768\n");
    const ProgramRun run = program.run("machine m.toml --dump");
    CHECK(run.exit_code == 0);
    CHECK(contains(run.out, "local_memory_bytes = 32768"));
}

TEST_CASE("cli/wrong machine files are refused with key, value and rule") {
    struct Case {
        const char* text;
        const char* key;
    };
    const Case cases[] = {
        {"base = \"bm1684\"\n[chip]\nlanes = 0\n", "chip.lanes"},
        {"base = \"bm1684\"\n[chip]\nlaness = 8\n", "chip.laness"},
        {"base = \"bm1684\"\n[chip]\nlanes = \"many\"\n", "chip.lanes"},
        {"base = \"bm1684\"\n[chip]\nlocal_memory_bytes = 1000\n", "chip.local_memory_bytes"},
        {"base = \"nonesuch\"\n", "nonesuch"},
        {"base = \n", "m.toml"},
    };
    const Program program;
    for (const Case& c : cases) {
        CAPTURE(c.text);
        program.write("m.toml", c.text);
        const ProgramRun run = program.run("machine m.toml");
        CHECK(run.exit_code == 2);
        CHECK(contains(run.err, c.key));
    }
}

TEST_CASE("cli/assembled text disassembles to itself") {
    const Program program;
    program.write("p.s",
                  "bdc.add_C dst_addr=0:0x80, src_addr=0:0x0, C=1.5, shape=(1, 3, 1, 2), "
                  "dst_stride=(32, 32, 2, 1), src_stride=(32, 32, 2, 1) | id=1\n");
    const ProgramRun assembled = program.run("asm p.s --machine bm1684 -o p.okk");
    INFO(assembled.err);
    REQUIRE(assembled.exit_code == 0);
    const ProgramRun text = program.run("disasm p.okk");
    REQUIRE(text.exit_code == 0);
    CHECK(contains(text.out, "bdc.add_C dst_addr=0:0x80"));
    program.write("q.s", text.out);
    REQUIRE(program.run("asm q.s -o q.okk").exit_code == 0);
    CHECK(program.read("p.okk") == program.read("q.okk"));
}

TEST_CASE("cli/text that does not assemble is refused with its line") {
    const Program program;
    program.write("p.s", "bdc.frobnicate x=1\n");
    const ProgramRun run = program.run("asm p.s --machine bm1684 -o p.okk");
    CHECK(run.exit_code == 2);
    CHECK(contains(run.err, "frobnicate"));
    program.write("p.okk", "not a command file");
    CHECK(program.run("disasm p.okk").exit_code == 2);
}

TEST_CASE("cli/the instruction table lists every command in both formats") {
    const Program program;
    const ProgramRun markdown = program.run("isa");
    CHECK(markdown.exit_code == 0);
    CHECK(contains(markdown.out, "bdc.conv2d"));
    const ProgramRun json = program.run("isa --json");
    CHECK(json.exit_code == 0);
    CHECK(contains(nlohmann::json::parse(json.out).dump(), "conv2d"));
}

}  // namespace okksim::tests
