// SPDX-License-Identifier: Apache-2.0
// Gains of instruction groups: the metrics equal those of `okksim run` on the machines that the
// points name, for any number of processes.
#include <nlohmann/json.hpp>
#include <string>

#include "tests/sim/cli/run_program.h"
#include "tests/support/catch.h"

namespace okksim::tests {
namespace {

using nlohmann::json;

constexpr const char* kNetwork = "zoo mobilenet_v2 --precision int8 --size 32 --width 0.25 -o net";

json parsed(const Program& program, const std::string& arguments) {
    const ProgramRun run = program.run(arguments);
    CAPTURE(arguments, run.err);
    REQUIRE(run.exit_code == 0);
    return json::parse(run.out);
}

/// Values that `okksim run` reports for the machine, under the names of `okksim worth`.
json run_figures(const Program& program, const std::string& machine) {
    const json run = parsed(program, "run net/model.tosa --no-data --json --machine " + machine);
    double commands = 0;
    for (const auto& [name, engine] : run["account"]["engines"].items()) {
        if (name != "MCU") commands += engine.value("commands", 0.0);  // which writes all of them
    }
    const json& roofline = run["roofline"];
    return {{"us", run["simulated_us"]},
            {"launch_us", run["account"]["simulated_us"]},
            {"commands", commands},
            {"dram_bytes", roofline["dram_bytes_read"].get<double>() +
                               roofline["dram_bytes_written"].get<double>()},
            {"energy_j", run["energy"]["joules"]}};
}

/// Index of the point with this name.
std::size_t index_of(const json& worth, const std::string& name) {
    for (std::size_t i = 0; i < worth["points"].size(); ++i) {
        if (worth["points"][i]["point"] == name) return i;
    }
    FAIL("no point " << name);
    return 0;
}

}  // namespace

TEST_CASE("cli/worth: every point is the run on its machine, digit for digit") {
    const Program program;
    REQUIRE(program.run(kNetwork).exit_code == 0);
    const std::string line =
        "worth net/model.tosa --groups requantise,lookup,convert "
        "--parameter features.rescale_multipliers=1 --json";
    const json worth = parsed(program, line + " -j1");
    CHECK(worth == parsed(program, line + " -j2"));
    CHECK(worth["machine"] == "okk-next");
    const std::string next = "okk-next --set features.fused_rescale=false";
    const std::string rescale = " --set features.requantise=false";
    const std::string lookup = " --set features.lookup=false";
    const std::string convert = " --set features.convert=false";
    const std::pair<const char*, std::string> machines[] = {
        {"all", "okk-next"},
        {"none", next + rescale + lookup + convert},
        {"without lookup", "okk-next" + lookup},
        {"without requantise and so fused_rescale", next + rescale},
        {"only requantise", next + lookup + convert},
        {"without lookup, convert", "okk-next" + lookup + convert},
        {"features.rescale_multipliers=1", "okk-next --set features.rescale_multipliers=1"}};
    for (const auto& [name, machine] : machines) {
        CAPTURE(name);
        const json& point = worth["networks"][0]["points"][index_of(worth, name)];
        const json expected = run_figures(program, machine);
        for (const auto& [figure, value] : expected.items()) {
            CAPTURE(figure);
            CHECK(point[figure].get<double>() == value.get<double>());
        }
        // The times of operators plus the unattributed time equal the launch's time.
        double us = 0;
        double commands = 0;
        for (const json& use : point["operators"]) {
            us += use["us"].get<double>();
            commands += use["commands"].value("base", 0.0);
            for (const char* group : {"int8_mac", "requantise", "int_alu", "lookup", "convert",
                                      "dma_layout", "dma_index", "half_mac", "int16_mac"}) {
                commands += use["commands"].value(group, 0.0);
            }
        }
        CHECK(us == Approx(expected["launch_us"].get<double>()));
        CHECK(commands == expected["commands"].get<double>());
    }
}

TEST_CASE("cli/worth: kernels that read indices of the run have times, too") {
    const Program program;
    REQUIRE(program.run("zoo bert --precision int8 --size 4 --width 0.25 -o net").exit_code == 0);
    // Without the group, the control processor reads the index words of GATHER.
    const json worth = parsed(program, "worth net/model.tosa --groups dma_index,int_alu --json");
    const json& points = worth["networks"][0]["points"];
    for (const json& point : points) CHECK(!point.contains("failure"));
    const std::size_t without = index_of(worth, "without dma_index");
    CHECK(points[without]["us"].get<double>() > points[0]["us"].get<double>());
    CHECK(points[without]["commands"].get<double>() > points[0]["commands"].get<double>());
}

TEST_CASE("cli/worth: what has no effect, and who issues what") {
    const Program program;
    REQUIRE(program.run("zoo mobilenet_v2 --size 32 --width 0.25 -o net").exit_code == 0);
    // A network of fp32 has no integers to scale.
    const json worth = parsed(program, "worth net/model.tosa --groups requantise --json");
    const json& points = worth["networks"][0]["points"];
    CHECK(points[0]["us"] == points[1]["us"]);
    CHECK(points[1]["ratio"] == 1);
    CHECK(worth["groups"][0]["issued"] == false);
    CHECK(points[1]["saved_mm2"].get<double>() > 0);
    const ProgramRun text = program.run("worth net/model.tosa --groups requantise");
    CHECK(contains(text.out, "requantise: no command of this group was issued\n"));
    CHECK(contains(text.out, "* requantise uses assumed values: "));
}

TEST_CASE("cli/worth: what cannot be is told with its reason") {
    const Program program;
    REQUIRE(program.run("zoo mobilenet_v2 --size 32 --width 0.25 -o net").exit_code == 0);
    const auto refuse = [&](const std::string& arguments, const char* why) {
        const ProgramRun run = program.run("worth " + arguments);
        CAPTURE(arguments, run.err);
        CHECK(run.exit_code == 2);
        CHECK(contains(run.err, why));
        CHECK(run.out.empty());
    };
    refuse("net/model.tosa --groups lokup", "did you mean \"lookup\"?");
    refuse("net/model.tosa --groups base", "every machine has");
    refuse("net/model.tosa --groups ''", "is followed by an empty argument");
    refuse("nothing.tosa", "nothing.tosa");
    refuse("net/model.tosa nothing.tosa", "nothing.tosa");
    refuse("", "models: is missing");
    refuse("net/model.tosa --machine bm1684 --groups fused_rescale",
           "bm1684 cannot have fused_rescale");
    refuse("net/model.tosa --groups lookup --set features.lookup=false", "drop one of them");
    refuse("net/model.tosa --parameter features.tabel_cycles=1",
           "did you mean \"features.table_cycles\"");
    refuse("net/model.tosa --parameter features.rescale_multipliers=1,0", "rescale_multipliers");
    refuse("net/model.tosa --json --csv", "standard output takes only one report");
    // A machine on which the network does not run is a point with its reason.
    const ProgramRun small =
        program.run("worth net/model.tosa --groups lookup --parameter global.bytes=81.25MiB");
    CHECK(small.exit_code == 3);
    CHECK(contains(small.out, "global.bytes=81.25MiB: "));
}

}  // namespace okksim::tests
