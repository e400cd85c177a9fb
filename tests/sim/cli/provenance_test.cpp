// SPDX-License-Identifier: Apache-2.0
// Every report names machine, hash, changed settings, version and schema of its measurement.
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/sim/cli/output_rows.h"

namespace okksim::tests {
namespace {

using nlohmann::json;

constexpr const char* kSet = " --set bdc.startup_cycles=140 --set mcu.clock_mhz=400";
constexpr const char* kLabel = "bm1684 with bdc.startup_cycles=140, mcu.clock_mhz=400";

void check_machine(const json& report) {
    CHECK(report.value("machine", "") == kLabel);
    CHECK(report.value("machine_hash", "").size() == 16);
    CHECK(report.value("overrides", json()) ==
          json({"bdc.startup_cycles=140", "mcu.clock_mhz=400"}));
}

void check_version(const json& report) {
    CHECK_FALSE(report.value("okksim_version", "").empty());
    CHECK(report.value("schema_version", 0) >= 1);
}

void check_json(const json& report) {
    check_machine(report);
    check_version(report);
}

/// Checks texts, waveforms and JUnit files.
void check_text(const std::string& text) {
    CHECK(contains(text, kLabel));
    CHECK(contains(text, "hash "));
    CHECK((contains(text, ", okksim 0") || contains(text, "; okksim 0") ||
           contains(text, "\nokksim 0") || contains(text, "okksim_version")));
    CHECK((contains(text, ", report schema 2") || contains(text, "name=\"schema_version\"")));
}

/// Checks a page: its script has the data in a separate line.
void check_page(const std::string& text) {
    const std::string begin = "const data = ";
    const std::size_t at = text.find(begin);
    REQUIRE(at != std::string::npos);
    std::istringstream rest(text.substr(at + begin.size()));
    json data;
    rest >> data;
    check_json(data);
    check_text(data.value("about", ""));
}

/// Points of a sweep: the base machine's label follows the point's own hash.
void check_points(const std::string& text) {
    std::istringstream lines(text);
    std::string line;
    REQUIRE(std::getline(lines, line));
    CHECK(line.starts_with("number,workload,machine_hash,"));
    CHECK(line.ends_with(",okksim_version,machine,schema_version"));
    int points = 0;
    for (; std::getline(lines, line); ++points) {
        CHECK(line.ends_with(",bm1684 with bdc.startup_cycles=140; mcu.clock_mhz=400,2"));
    }
    CHECK(points == 2);
}

/// Checks that the last columns of every row after the header hold the machine's label. A row may
/// refer to that machine with further settings.
void check_csv(const std::string& text) {
    std::istringstream lines(text);
    std::string line;
    REQUIRE(std::getline(lines, line));
    CHECK(line.ends_with(",machine,machine_hash,okksim_version,schema_version"));
    while (std::getline(lines, line)) {
        const std::string label = ",bm1684 with bdc.startup_cycles=140; mcu.clock_mhz=400";
        CHECK((contains(line, label + ",") || contains(line, label + "; features.")));
    }
}

}  // namespace

TEST_CASE("cli/every report names machine, changes, version and schema") {
    const Program program;
    const auto run = [&](const std::string& arguments) {
        const ProgramRun result = program.run(arguments);
        CAPTURE(arguments, result.err);
        CHECK(result.exit_code == 0);
        return result.out;
    };
    run("zoo lstm --size 2 --width 0.25 -o net");
    const std::string set = kSet;
    const std::string model = " net/model.tosa" + set;
    const std::string text = run("run" + model +
                                 " --stats run.json --csv run.csv --timeline t.json"
                                 " --commands c.csv --record run.trace");
    CHECK(contains(text, std::string("machine ") + kLabel + " (hash "));
    CHECK(contains(text, "okksim "));
    check_json(json::parse(program.read("run.json")));
    check_csv(program.read("run.csv"));
    check_csv(program.read("c.csv"));
    check_json(json::parse(program.read("t.json"))["otherData"]);
    check_json(json::parse(run("run" + model + " --json --commands c.json")));
    check_json(json::parse(program.read("c.json"))[0]);

    for (const std::string& command :
         {"plan" + model, "inspect --no-time" + model, "machine" + set}) {
        CHECK(contains(run(command), kLabel));
        check_json(json::parse(run(command + " --json")));
    }
    // The recording holds the changed settings; a replay reports its own changes in addition.
    CHECK(contains(run("trace show run.trace"), kLabel));
    const json replayed = json::parse(run("replay run.trace --json --set mcu.clock_mhz=500"));
    CHECK(replayed["machine"] == std::string(kLabel) + ", mcu.clock_mhz=500");
    CHECK(replayed["overrides"] ==
          json({"bdc.startup_cycles=140", "mcu.clock_mhz=400", "mcu.clock_mhz=500"}));
    CHECK(contains(replayed["note"].get<std::string>(), "0.1 %"));
    CHECK_FALSE(json::parse(run("replay run.trace --json")).contains("note"));
    CHECK(contains(run("replay run.trace --csv"), kLabel[0] == 'b' ? ",bm1684 with " : ""));

    // Kernels, baselines and their comparison.
    const std::string kernel = "kernel " OKKSIM_CLI_KERNELS " --launch cli_computes" + set;
    CHECK(contains(run(kernel), kLabel));
    check_json(json::parse(run(kernel + " --json"))[0]);
    check_csv(run(kernel + " --csv"));
    run("baseline -o base --filter add_fp32" + set);
    const std::string compared = run("compare base base --junit gate.xml");
    CHECK(contains(compared, kLabel));
    CHECK(contains(program.read("gate.xml"), kLabel));
    CHECK(contains(program.read("gate.xml"), "okksim_version"));
    const json comparison = json::parse(run("compare base base --json"));
    CHECK(contains(comparison["cases"][0]["base_machine"].get<std::string>(), kLabel));
    CHECK(comparison["schema_version"] >= 1);
}

namespace {

/// Checks one output. A table has its machine in the rows, so there must be at least one row.
void check_form(const Program& program, Form form, const std::string& file) {
    const std::string text = program.read(file);
    CHECK_FALSE(text.empty());
    switch (form) {
        case Form::kNoReport: return;
        case Form::kVersion: return check_version(json::parse(text));
        case Form::kJson: return check_json(json::parse(text));
        case Form::kJsonList:
            CHECK_FALSE(json::parse(text).empty());
            for (const json& element : json::parse(text)) check_json(element);
            return;
        case Form::kCsv: return check_csv(text);
        case Form::kTimeline: return check_json(json::parse(text)["otherData"]);
        case Form::kTrace:
            return check_json(json::parse(program.run("trace show " + file + " --json").out));
        case Form::kText: return check_text(text);
        case Form::kPage: return check_page(text);
        case Form::kTwo: {
            const json report = json::parse(text);
            check_version(report);
            check_machine(report["recorded_a"]);
            return check_machine(report["recorded_b"]);
        }
        case Form::kSweep: return check_points(text);
    }
}

bool takes_settings(const std::string& command) {
    for (const char* word :
         {"check", "isa", "asm", "why", "trace show", "trace diff", "compare", "sweep", "report",
          "manual", "man", "convert", "zoo", "replay", "record"}) {
        if (command == word) return false;
    }
    return true;
}

}  // namespace

TEST_CASE("cli/every form of every report of every command says what it was measured on") {
    const Program program;
    make_inputs(program, kSet);
    for (const Row& row : kRows) {
        if (row.form == Form::kNoReport || row.is_slow) continue;
        const std::string command(row.command);
        const bool is_recording = command == "record";
        const std::string set = takes_settings(command) || is_recording ? kSet : "";
        const std::string line = with_path(row.line, "x") + set;
        CAPTURE(line);
        shell(program, "rm -rf x x.*");
        shell(program, line);
        const std::string text = program.read(".out");
        std::string file = "x";
        for (const char* end : {".vcd", ".csv", ".json"}) {
            if (std::filesystem::exists(program.folder() / ("x" + std::string(end)))) {
                file += end;
            }
        }
        check_form(program, row.form, file);
        // Text printed in addition to the file; for a sweep's page, only the printed text counts.
        if (command == "report" || command == "isa") continue;
        CHECK(contains(text, "report schema 2"));
        if (row.form != Form::kVersion) CHECK(contains(text, kLabel));
    }
}

TEST_CASE("cli/equal runs have equal reports") {
    const Program program;
    REQUIRE(program.run("zoo lstm --size 2 --width 0.25 -o net").exit_code == 0);
    for (const char* line : {"run net/model.tosa --json", "run net/model.tosa --no-data --json",
                             "run net/model.tosa --csv", "inspect net/model.tosa --json"}) {
        CAPTURE(line);
        CHECK(program.run(line).out == program.run(line).out);
    }
}

TEST_CASE("cli/a file named like a built-in machine is not taken for it") {
    const Program program;
    program.write("bm1684.toml", "base = \"bm1684\"\n[bdc]\nclock_mhz = 700\n");
    const ProgramRun run = program.run("machine ./bm1684.toml --json");
    CHECK(json::parse(run.out)["machine"] == "bm1684.toml");
}

TEST_CASE("cli/a language model without an input gets words that it knows") {
    const Program program;
    REQUIRE(program.run("zoo bert --size 8 --width 0.25 -o net").exit_code == 0);
    const ProgramRun run = program.run("run net/model.tosa --json");
    INFO(run.out.substr(0, 300) << run.err);
    CHECK(run.exit_code == 0);
    CHECK(json::parse(run.out)["random_inputs"].size() >= 1);
}

}  // namespace okksim::tests
