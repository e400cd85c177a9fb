// SPDX-License-Identifier: Apache-2.0
// okksim kernel --record, replay, trace, fidelity.
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/sim/cli/run_program.h"
#include "tests/support/catch.h"

namespace {

using nlohmann::json;
using okksim::tests::contains;
using okksim::tests::Program;
namespace fs = std::filesystem;

/// Launches the test kernel on the first bytes of global memory, at 4 GiB.
std::string kernel(const std::string& flags, int wrong = -1) {
    return std::string("kernel ") + OKKSIM_TEST_KERNEL +
           " --launch ping_pong --arg u64=4294967296 --arg i32=20 --arg i32=" +
           std::to_string(wrong) + " " + flags;
}

json launches_of(const json& report) { return report.is_array() ? report : report["launches"]; }

TEST_CASE("A recorded kernel replays with the same time, account and energy") {
    const Program program;
    const auto run = program.run(kernel("--json --repeat 2 --record a.okktrace --timeline a.json"));
    REQUIRE(run.exit_code == 0);
    const json launches = launches_of(json::parse(run.out));
    const auto replay = program.run("replay --json a.okktrace");
    REQUIRE(replay.exit_code == 0);
    const json report = json::parse(replay.out);
    CHECK(report["same_machine"] == true);
    CHECK(report["gdma_commands"] == 40);
    CHECK(report["bdc_commands"] == 40);
    REQUIRE(report["launches"].size() == 2);
    for (std::size_t i = 0; i < 2; ++i) {
        CHECK(report["launches"][i]["name"] == "ping_pong");
        CHECK(report["launches"][i]["simulated_us"] == launches[i]["simulated_us"]);
        CHECK(report["launches"][i]["account"] == launches[i]["account"]);
        // Counted from the same commands, with data and without.
        CHECK(launches[i]["energy"]["joules"].get<double>() > 0);
        CHECK(report["launches"][i]["energy"] == launches[i]["energy"]);
    }
    // One slice per command, and the control processor's work for it.
    CHECK(json::parse(program.read("a.json"))["traceEvents"].size() > 160);

    const json faster =
        json::parse(program.run("replay --json --set mcu.clock_mhz=1000 a.okktrace").out);
    CHECK(faster["same_machine"] == false);
    CHECK(faster["launches"][0]["simulated_us"] < report["launches"][0]["simulated_us"]);
    CHECK(contains(program.run(kernel("--csv")).out, "0,ping_pong,GDMA,DRAM latency,,"));
}

TEST_CASE("The record command writes what --record does") {
    const Program program;
    REQUIRE(program.run(kernel("--record-crc --record a.okktrace")).exit_code == 0);
    REQUIRE(program.run("record --crc b.okktrace " + kernel("")).exit_code == 0);
    CHECK(program.read("a.okktrace") == program.read("b.okktrace"));
    const auto other = program.run("record c.okktrace plan model.tosa");
    CHECK(other.exit_code == 2);
    CHECK(contains(other.err, "run MODEL ... or kernel LIBRARY"));
}

TEST_CASE("Traces are shown and compared") {
    const Program program;
    REQUIRE(program.run(kernel("--record-crc --record a.okktrace")).exit_code == 0);
    REQUIRE(program.run(kernel("--record-crc --record b.okktrace", 7)).exit_code == 0);
    const auto show = program.run("trace show --count 5 a.okktrace");
    CHECK(show.exit_code == 0);
    CHECK(contains(show.out, "launch ping_pong"));
    CHECK(contains(show.out, "gdma.32bit_cpy_S2L dst_addr=0:0x0"));
    CHECK(json::parse(program.run("trace show --json a.okktrace").out)["gdma_commands"] == 20);

    CHECK(program.run("trace diff a.okktrace a.okktrace").exit_code == 0);
    // Equal commands take another time on another machine.
    REQUIRE(
        program.run(kernel("--record-crc --record c.okktrace --set bdc.clock_mhz=275")).exit_code ==
        0);
    CHECK(program.run("trace diff a.okktrace c.okktrace").exit_code == 1);
    CHECK(program.run("trace diff --commands-only a.okktrace c.okktrace").exit_code == 0);
    CHECK(program.run("trace diff --commands-only a.okktrace b.okktrace").exit_code == 1);
    const auto diff = program.run("trace diff --json a.okktrace b.okktrace");
    CHECK(diff.exit_code == 1);
    const json report = json::parse(diff.out);
    CHECK(contains(report["command"]["a"], "C=1,"));
    CHECK(contains(report["command"]["b"], "C=2,"));
}

TEST_CASE("Damaged traces are refused with exit code 2, or replayed as far as they go") {
    const Program program;
    REQUIRE(program.run(kernel("--record a.okktrace")).exit_code == 0);
    const fs::path trace = program.folder() / "a.okktrace";
    fs::resize_file(trace, fs::file_size(trace) - 10);
    const auto refused = program.run("replay a.okktrace");
    CHECK(refused.exit_code == 2);
    CHECK(contains(refused.err, "cut off"));
    const auto forced = program.run("replay --force a.okktrace");
    CHECK(forced.exit_code == 1);
    CHECK(contains(forced.out, "20 GDMA and 20 BDC commands"));
    CHECK(program.run("replay /nowhere").exit_code == 2);
    CHECK(program.run("replay --force --record a.okktrace a.okktrace").exit_code == 2);
    CHECK(program.run("trace show /dev/null").exit_code == 2);
    CHECK(program.run("trace").exit_code == 2);
    program.write("text.jsonl", "hello\n");
    CHECK(program.run("replay text.jsonl").exit_code == 2);
}

TEST_CASE("A call trace becomes a command trace of the same time") {
    const Program program;
    program.write("calls.jsonl",
                  "{\"op\":\"softmax\",\"case\":3,\"params\":\"\",\"contestant\":\"A\","
                  "\"calls\":2,\"gdma_calls\":1,\"bdc_calls\":1}\n"
                  "[\"okk_gdma_32bit_cpy_S2L\",0,\"in+0\",[1,64,4,8],null,null]\n"
                  "[\"okk_bdc_exp\",1024,0,2048,[1,64,4,8]]\n");
    const json calls =
        json::parse(program.run("replay --json --record c.okktrace calls.jsonl").out);
    const json commands = json::parse(program.run("replay --json c.okktrace").out);
    CHECK(commands["launches"][0]["name"] == "softmax 3 A");
    CHECK(commands["launches"][0]["account"] == calls["launches"][0]["account"]);
    CHECK(commands["launches"][0]["recorded_us"] == calls["launches"][0]["simulated_us"]);
    CHECK(contains(program.run("trace show --count 3 c.okktrace").out, "gdma.32bit_cpy_S2L"));
}

TEST_CASE("Fidelity reports what is there and what is absent") {
    const Program program;
    fs::create_directories(program.folder() / "timing" / "traces");
    program.write("timing/traces/summary.csv",
                  "op,case,contestant,gdma_calls,bdc_calls,correct,best_us\n"
                  "softmax,0,A,1,0,yes,29\nsoftmax,2,A,1,0,yes,50\n");
    program.write("timing/traces/softmax_00_A.jsonl",
                  "{\"op\":\"softmax\",\"case\":0,\"params\":\"\",\"contestant\":\"A\","
                  "\"calls\":1,\"gdma_calls\":1,\"bdc_calls\":0}\n"
                  "[\"okk_gdma_32bit_set_C_local\",0,\"0x0\",[1,1,1,1],null]\n");
    const auto run = program.run("fidelity timing --json report.json");
    CHECK(run.exit_code == 0);
    CHECK(contains(run.out, "absent"));
    CHECK(contains(run.out, "part (a) was not run"));
    CHECK(contains(run.out, "not run yet"));
    const json report = json::parse(program.read("report.json"));
    const json& cases = report["contest"]["cases"];
    REQUIRE(cases.size() == 2);
    CHECK(cases[0]["op"] == "softmax");
    CHECK(cases[0]["case"] == 0);
    CHECK(cases[0]["silicon_us"] == 29);
    CHECK(cases[0]["ratio"].get<double>() == Approx(cases[0]["simulated_us"].get<double>() / 29));
    CHECK(cases[1]["status"] == "absent");
    CHECK(cases[1]["ratio"].is_null());
    CHECK(report["contest"]["counted"] == 1);
    CHECK(report["fitted"].size() <= 25);
    CHECK(report["fitted"][0]["mape_at_90_percent"].is_number());
    CHECK_FALSE(report["rates"].empty());

    // Part (a) is missing, so one target is not met.
    CHECK(program.run("fidelity --quick --strict timing").exit_code == 1);
    CHECK(program.run("fidelity nothing").exit_code == 2);
    CHECK(program.run("fidelity timing --silicon timing").exit_code == 2);
    CHECK(program.run("fidelity --set no.such=1 timing").exit_code == 2);
}

}  // namespace
