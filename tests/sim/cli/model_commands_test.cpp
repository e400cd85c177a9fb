// SPDX-License-Identifier: Apache-2.0
// `okksim run`, `plan`, `inspect` and `check` on a graph of three operators: y = clamp(x + b, 0,
// 4) and its transpose.
#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "sim/graph/builder.h"
#include "sim/graph/npy.h"
#include "sim/graph/tosa_v1/tosa_v1_writer.h"
#include "sim/graph/xmodel/xmodel_writer.h"
#include "tests/sim/cli/run_program.h"
#include "tests/support/catch.h"

namespace okksim::tests {
namespace {

namespace graph = sim::graph;
using graph::DType;

tosa::ElementBytes bytes_of(float value) {
    tosa::ElementBytes bytes{};
    std::memcpy(bytes.bytes.data(), &value, sizeof value);
    bytes.size = sizeof value;
    return bytes;
}

void write_model(const Program& program) {
    graph::GraphBuilder builder;
    const auto x = builder.input(DType::kFp32, {2, 3}, "x");
    const auto b = builder.constant({1, 3}, {1.0f, -1.0f, 0.5f});
    const auto sum =
        builder.add(tosa::OpCode::kAdd, tosa::NoAttributes{}, {x, b}, DType::kFp32, {2, 3});
    tosa::ClampAttributes clamp;
    clamp.min_val = bytes_of(0.0f);
    clamp.max_val = bytes_of(4.0f);
    clamp.nan_mode = tosa::NanPropagationMode::kPropagate;
    const auto y = builder.add(tosa::OpCode::kClamp, clamp, {sum}, DType::kFp32, {2, 3});
    builder.output(y);
    graph::save_graph(builder.finish(), program.folder() / "model.tosa");
}

void write_floats(const Program& program, const std::string& name,
                  const std::vector<float>& values) {
    graph::write_npy(program.folder() / name, "<f4", {2, 3}, std::as_bytes(std::span(values)));
}

/// Name of the model's output as the program prints it.
std::string output_name(const Program& program) {
    const auto json = nlohmann::json::parse(program.run("run model.tosa --json").out);
    return json["operators"].back()["output"].get<std::string>();
}

const std::vector<float> kInput{1.0f, 2.0f, 3.0f, -1.0f, 9.0f, -0.5f};
// x + b = 2, 1, 3.5, 0, 8, 0; clamped to [0, 4].
const std::vector<float> kOutput{2.0f, 1.0f, 3.5f, 0.0f, 4.0f, 0.0f};

}  // namespace

TEST_CASE("cli/a model runs, its outputs are saved and agree with golden files") {
    const Program program;
    write_model(program);
    write_floats(program, "x.npy", kInput);
    const std::string output = output_name(program) + ".npy";
    std::filesystem::create_directory(program.folder() / "golden");
    write_floats(program, "golden/" + output, kOutput);
    const ProgramRun run =
        program.run("run model.tosa --input x=x.npy --out out --check golden --stats stats.json");
    INFO(run.out << run.err);
    CHECK(run.exit_code == 0);
    CHECK(contains(run.out, "1 outputs passed, 0 failed"));
    CHECK(contains(run.out, "CLAMP"));
    CHECK(program.run("check out golden").exit_code == 0);
    const auto stats = nlohmann::json::parse(program.read("stats.json"));
    CHECK(stats["operators"].size() == 1);  // the kernel of ADD clamps
    CHECK(stats["simulated_us"].get<double>() > 0);
    CHECK(stats["warnings"].empty());
    CHECK(stats["fault"].is_null());
}

TEST_CASE("cli/a run tells its energy, by operator and component") {
    const Program program;
    write_model(program);
    const ProgramRun run = program.run("run model.tosa --energy --json=r.json --csv=r.csv");
    REQUIRE(run.exit_code == 0);
    CHECK(contains(run.out, "on average"));
    CHECK(contains(run.out, "leakage"));
    const auto json = nlohmann::json::parse(program.read("r.json"));
    double operators = json["rest"]["energy"]["joules"];
    for (const auto& record : json["operators"]) {
        operators += record["energy"]["joules"].get<double>();
    }
    double components = 0;
    for (const auto& component : json["energy"]["components"]) {
        components += component["joules"].get<double>();
    }
    const double whole = json["energy"]["joules"];
    CHECK(whole > 0);
    CHECK(operators == Approx(whole));
    CHECK(components == Approx(whole));
    CHECK(json["energy"]["low"].get<double>() < whole);
    CHECK(json["energy"]["high"].get<double>() > whole);
    CHECK(json["area"]["mm2"].get<double>() > 0);
    CHECK(contains(program.read("r.csv"), ",energy_joules,energy_low_joules,energy_high_joules,"));
    // Energy parameters do not change times.
    const ProgramRun other =
        program.run("run model.tosa --json --set energy.leakage_milliwatts_per_mm2=0");
    const auto cooler = nlohmann::json::parse(other.out);
    CHECK(cooler["energy"]["joules"].get<double>() < whole);
    CHECK(cooler["simulated_us"] == json["simulated_us"]);
}

TEST_CASE("cli/every output gets a file of its own") {
    const Program program;
    graph::GraphBuilder builder;
    const auto x = builder.input(DType::kFp32, {2, 3}, "x");
    // After cleaning, all names but the third are "a_b"; the third is the name that the second
    // would get.
    for (const char* name : {"a/b", "a_b", "a_b-2", "a\xC3", "a b"}) {
        const auto y = builder.tensor(DType::kFp32, {2, 3}, name);
        builder.add_with_outputs(tosa::OpCode::kNegate, tosa::NoAttributes{},
                                 {x, builder.constant({1}, {0.0f}), builder.constant({1}, {0.0f})},
                                 {y});
        builder.output(y);
    }
    graph::save_graph(builder.finish(), program.folder() / "model.tosa");
    const ProgramRun run = program.run("run model.tosa --out out");
    INFO(run.err);
    REQUIRE(run.exit_code == 0);
    std::set<std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(program.folder() / "out")) {
        files.insert(entry.path().filename().string());
    }
    CHECK(files ==
          std::set<std::string>{"a_b.npy", "a_b-2.npy", "a_b-3.npy", "a_.npy", "a_b-4.npy"});
    CHECK(program.run("run model.tosa --check out").exit_code == 0);
}

TEST_CASE("cli/a wrong output is a difference that names element and values") {
    const Program program;
    write_model(program);
    write_floats(program, "x.npy", kInput);
    std::filesystem::create_directory(program.folder() / "golden");
    std::vector<float> wrong = kOutput;
    wrong[4] = 5.0f;
    write_floats(program, "golden/" + output_name(program) + ".npy", wrong);
    const ProgramRun run = program.run("run model.tosa --input x=x.npy --out out --check golden");
    CHECK(run.exit_code == 1);
    CHECK(contains(run.out, "[1,1]"));
    CHECK(contains(run.out, "0 outputs passed, 1 failed"));
    CHECK(program.run("check out golden").exit_code == 1);
    CHECK(program.run("check out golden --relative 0.5").exit_code == 0);
}

TEST_CASE("cli/report files that cannot be written are told before the run") {
    const Program program;
    write_model(program);
    for (const std::string flag : {"--json", "--csv"}) {
        const ProgramRun run = program.run("run model.tosa --out out " + flag + "=nowhere/report");
        CHECK(run.exit_code == 2);
        CHECK(contains(run.err, flag + " nowhere/report: cannot be written"));
        CHECK_FALSE(std::filesystem::exists(program.folder() / "out"));
    }
}

TEST_CASE("cli/inputs that do not fit are named") {
    const Program program;
    write_model(program);
    const ProgramRun unknown = program.run("run model.tosa --input y=x.npy");
    CHECK(unknown.exit_code == 2);
    CHECK(contains(unknown.err, "no such input; it has: x"));
    CHECK(program.run("run model.tosa --input x").exit_code == 2);
    const std::vector<float> few{1.0f};
    graph::write_npy(program.folder() / "x.npy", "<f4", {1}, std::as_bytes(std::span(few)));
    const ProgramRun shape = program.run("run model.tosa --input x=x.npy");
    CHECK(shape.exit_code == 2);
    CHECK(contains(shape.err, "[2,3]"));
}

TEST_CASE("cli/folders that cannot be made and filters that select nothing are named") {
    const Program program;
    write_model(program);
    write_floats(program, "file", kInput);
    const ProgramRun out = program.run("run model.tosa --out file/out");
    CHECK(out.exit_code == 2);
    CHECK(contains(out.err, "file/out: is no folder and cannot be made"));
    const ProgramRun check = program.run("run model.tosa --check nowhere");
    CHECK(check.exit_code == 2);
    CHECK(contains(check.err, "--check nowhere: is not a folder"));
    // The mistake is reported before the simulation.
    CHECK(!contains(check.out, "CLAMP"));
    const ProgramRun filter = program.run("baseline -o new --filter '['");
    CHECK(filter.exit_code == 2);
    CHECK(contains(filter.err, "--filter [: is not a regular expression"));
    CHECK(program.run("baseline -o new --filter no_such_case").exit_code == 2);
    CHECK(program.run("conformance .").exit_code == 2);
}

TEST_CASE("cli/custom operators run kernels of a library") {
    const Program program;
    graph::GraphBuilder builder;
    const auto x = builder.input(DType::kFp32, {2, 3}, "x");
    const float slope = 0.5f;
    std::vector<std::uint8_t> attributes(sizeof slope);
    std::memcpy(attributes.data(), &slope, sizeof slope);
    const auto y = builder.tensor(DType::kFp32, {2, 3}, "y");
    builder.add_with_outputs(tosa::OpCode::kCustom,
                             tosa::CustomAttributes{"leaky_relu", "okk", attributes}, {x}, {y});
    builder.output(y);
    graph::save_graph(builder.finish(), program.folder() / "model.tosa");
    write_floats(program, "x.npy", kInput);
    std::filesystem::create_directory(program.folder() / "golden");
    // Negative values are halved.
    write_floats(program, "golden/y.npy", {1.0f, 2.0f, 3.0f, -0.5f, 9.0f, -0.25f});
    const std::string arguments = "run model.tosa --input x=x.npy --check golden";
    const ProgramRun run = program.run(arguments + " --library " OKKSIM_CUSTOM_LIBRARY);
    INFO(run.out << run.err);
    CHECK(run.exit_code == 0);
    const ProgramRun without = program.run(arguments);
    CHECK(without.exit_code == 3);
    CHECK(contains(without.out + without.err, "leaky_relu"));
    CHECK(program.run(arguments + " --library none.so").exit_code == 2);
}

TEST_CASE("cli/mistakes of custom operators are looked for, unless that is off") {
    const Program program;
    graph::GraphBuilder builder;
    const auto x = builder.input(DType::kFp32, {2, 3}, "x");
    const auto y = builder.tensor(DType::kFp32, {2, 3}, "y");
    builder.add_with_outputs(tosa::OpCode::kCustom,
                             tosa::CustomAttributes{"cli_exp_in_place", "okk", {}}, {x}, {y});
    builder.output(y);
    graph::save_graph(builder.finish(), program.folder() / "model.tosa");
    for (const std::string data : {"", " --no-data"}) {
        const std::string run = "run model.tosa --library " OKKSIM_CLI_KERNELS + data;
        CHECK(contains(program.run(run).out, "okk_bdc_exp: dst_addr = src_addr"));
        CHECK(program.run(run + " --strict").exit_code == 3);
        const ProgramRun off = program.run(run + " --strict --sanitize=off");
        INFO(off.out << off.err);
        CHECK(off.exit_code == 0);
        CHECK_FALSE(contains(off.out + off.err, "warning"));
    }
}

TEST_CASE("cli/random inputs are the same for the same seed") {
    const Program program;
    write_model(program);
    REQUIRE(program.run("run model.tosa --out a --seed 3").exit_code == 0);
    REQUIRE(program.run("run model.tosa --out b --seed 3").exit_code == 0);
    REQUIRE(program.run("run model.tosa --out c --seed 4").exit_code == 0);
    CHECK(program.run("check a b").exit_code == 0);
    CHECK(program.run("check a c").exit_code == 1);
}

TEST_CASE("cli/a recorded run replays to the same time and has a timeline") {
    const Program program;
    write_model(program);
    const ProgramRun run =
        program.run("run model.tosa --record run.trace --timeline run.json --json");
    REQUIRE(run.exit_code == 0);
    const auto timeline = nlohmann::json::parse(program.read("run.json"));
    CHECK(contains(timeline.dump(), "CLAMP"));
    const ProgramRun replay = program.run("replay run.trace --json");
    INFO(replay.err);
    REQUIRE(replay.exit_code == 0);
    const auto ran = nlohmann::json::parse(run.out);
    const auto again = nlohmann::json::parse(replay.out)["launches"][0];
    CHECK(again["simulated_us"] == ran["account"]["simulated_us"]);
    CHECK(again["account"]["engines"] == ran["account"]["engines"]);
    // For a kernel, the operations of its commands count as useful: 6 sums, 6 maxima, 6 minima.
    CHECK(again["roofline"]["operations"].get<double>() >= 18);
}

TEST_CASE("cli/the operators' times add up to the run's, cause by cause") {
    const Program program;
    write_model(program);
    REQUIRE(program.run("run model.tosa --no-fusion --stats run.json --csv run.csv").exit_code ==
            0);
    const auto json = nlohmann::json::parse(program.read("run.json"));
    REQUIRE(json["operators"].size() == 2);
    const auto sum = [&](const auto& value_of) {
        double total = value_of(json["rest"]);
        for (const auto& op : json["operators"]) total += value_of(op);
        return total;
    };
    const double us = json["account"]["simulated_us"];
    CHECK(sum([](const auto& part) {
              return part.contains("us") ? part["us"].template get<double>()
                                         : part["simulated_us"].template get<double>();
          }) == Approx(us).epsilon(1e-12));
    for (const auto& [engine, account] : json["account"]["engines"].items()) {
        for (const auto& [cause, time] : account["us_by_cause"].items()) {
            INFO(engine << " " << cause);
            const double parts = sum([&, &e = engine, &c = cause](const auto& part) {
                return part["engines"][e]["us_by_cause"][c].template get<double>();
            });
            CHECK(parts == Approx(time.get<double>()).margin(1e-9));
        }
    }
    // Header, two operators, the rest and the total.
    const std::string csv = program.read("run.csv");
    CHECK(std::count(csv.begin(), csv.end(), '\n') == 5);
    CHECK(contains(csv, ",(total),"));
}

TEST_CASE("cli/an operator's roofline follows from its shape and the machine") {
    const Program program;
    write_model(program);
    REQUIRE(program
                .run("run model.tosa --no-fusion --stats run.json --set "
                     "dram.read_bytes_per_nanosecond=20.0 "
                     "--set dram.write_bytes_per_nanosecond=10.0")
                .exit_code == 0);
    const auto json = nlohmann::json::parse(program.read("run.json"));
    const auto& add = json["operators"][0];
    REQUIRE(add["operator"] == "ADD");
    const auto& roofline = add["roofline"];
    CHECK(roofline["operations"] == 6);  // 2 x 3 sums
    const double read = roofline["dram_bytes_read"];
    const double written = roofline["dram_bytes_written"];
    CHECK(read >= 24 + 12);  // x and b
    CHECK(written >= 24);
    CHECK(roofline["operations_per_byte"].get<double>() == Approx(6 / (read + written)));
    const double memory_us = (read / 20 + written / 10) * 1e-3;
    CHECK(roofline["least_us"]["memory"].get<double>() == Approx(memory_us));
    CHECK(roofline["percent_of_roof"].get<double>() ==
          Approx(100 * memory_us / add["us"].get<double>()));
    // The time for a few bytes is negligible compared with the cost per command.
    CHECK(roofline["bound"] == "issue");
}

TEST_CASE("cli/operators that share a kernel are one row with the work of both") {
    const Program program;
    write_model(program);
    REQUIRE(program.run("run model.tosa --stats run.json --commands run.csv").exit_code == 0);
    const auto json = nlohmann::json::parse(program.read("run.json"));
    REQUIRE(json["operators"].size() == 1);
    CHECK(json["operators"][0]["operator"] == "ADD+CLAMP");
    CHECK(json["operators"][0]["roofline"]["operations"] == 12);  // 6 sums, 6 clamps
    CHECK(contains(program.read("run.csv"), "0,model,ADD+CLAMP "));
    // The sum is neither stored nor loaded: x and the result have 24 bytes each, b has 12.
    const auto plan = nlohmann::json::parse(program.run("plan model.tosa --json").out)["steps"];
    REQUIRE(plan.size() == 1);
    CHECK(plan[0]["operator"] == "ADD+CLAMP");
    const auto apart =
        nlohmann::json::parse(program.run("plan model.tosa --no-fusion --json").out)["steps"];
    const auto bytes = [](const auto& step) { return step["bytes_moved"].template get<int>(); };
    CHECK(bytes(plan[0]) + 2 * 24 == bytes(apart[0]) + bytes(apart[1]));
    const auto us = [](const auto& step) {
        return step["microseconds_alone"].template get<double>();
    };
    CHECK(us(plan[0]) < us(apart[0]) + us(apart[1]));
}

TEST_CASE("cli/every command of a run is accounted for, with its operator") {
    const Program program;
    write_model(program);
    REQUIRE(
        program.run("run model.tosa --no-fusion --commands run.csv --stats run.json").exit_code ==
        0);
    const std::string rows = program.read("run.csv");
    const auto account = nlohmann::json::parse(program.read("run.json"))["account"];
    const int commands = account["engines"]["MCU"]["commands"];
    CHECK(std::count(rows.begin(), rows.end(), '\n') == 1 + commands);
    CHECK(contains(rows, "0,model,ADD "));
    CHECK(contains(rows, "0,model,CLAMP "));
    CHECK(program.run("run model.tosa --commands nowhere/run.csv").exit_code == 2);
}

TEST_CASE("cli/the report of a run fits 100 columns") {
    const Program program;
    write_model(program);
    const ProgramRun run = program.run("run model.tosa");
    std::istringstream text(run.out);
    for (std::string line; std::getline(text, line);) {
        INFO(line);
        CHECK(line.size() <= 100);
    }
    CHECK(contains(run.out, "Where the engines' time went"));
}

TEST_CASE("cli/coverage tells what a model needs") {
    const Program program;
    write_model(program);
    const ProgramRun run = program.run("coverage model.tosa --json");
    CHECK(run.exit_code == 0);
    const auto json = nlohmann::json::parse(run.out);
    CHECK(json["supported"] == true);
    CHECK(json["needs"] == nlohmann::json::array({"PRO-FP"}));
    CHECK(contains(program.run("coverage model.tosa").out, "CLAMP"));
    const auto custom = [&](const std::string& domain) {
        program.write("custom.mlir",
                      "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
                      "  %y = tosa.custom %x {operator_name = \"f\", domain_name = \"" +
                          domain +
                          "\", implementation_attrs = \"\"} : (tensor<2xf32>) -> tensor<2xf32>\n"
                          "  return %y : tensor<2xf32>\n}\n");
        return program.run("coverage custom.mlir").exit_code;
    };
    CHECK(custom("okk") == 0);
    CHECK(custom("tools") == 1);  // run has no operators of it
}

TEST_CASE("cli/plan, reports, timeline and coverage have the places of every form's file") {
    const Program program;
    program.write("net.mlir",
                  "func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {\n"
                  "  %y = tosa.tanh %x : (tensor<2x3xf32>) -> tensor<2x3xf32> loc(\"layer\")\n"
                  "  return %y : tensor<2x3xf32>\n}\n");
    const sim::graph::XmodelResult result{{sim::graph::xmodel::ElementKind::kFloat, 32}, {2, 3}};
    sim::graph::XmodelWriter file;
    file.node("data", "x", {}, {}, result);
    file.node("relu", "layer1/relu", {{"input", {"x"}}}, {}, result);
    const std::vector<std::uint8_t> bytes = file.bytes();
    program.write("net.xmodel", std::string(bytes.begin(), bytes.end()));
    const auto check = [&](const std::string& model, const std::string& place) {
        CAPTURE(model);
        CHECK(contains(program.run("plan " + model).out, place));
        const ProgramRun run =
            program.run("run " + model + " --json --csv=r.csv --timeline t.json --out out");
        REQUIRE(run.exit_code == 0);
        const auto json = nlohmann::json::parse(run.out);
        CHECK(json["operators"][0]["origin"].get<std::string>() == place);
        CHECK(contains(program.read("r.csv"), "layer"));
        CHECK(contains(program.read("t.json"), "layer"));
        CHECK(program.run("check out out").exit_code == 0);
        CHECK(contains(program.run("coverage " + model).out, "\nsupported\n"));
    };
    check("net.mlir", "net.mlir:2:8 \"layer\"");
    check("net.xmodel", "layer1/relu");
    // Names in other formats; loc("...") in a text gives its origin.
    program.write("bare.mlir",
                  "func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {\n"
                  "  %layer = tosa.tanh %x : (tensor<2x3xf32>) -> tensor<2x3xf32>\n"
                  "  return %layer : tensor<2x3xf32>\n}\n");
    for (const char* line : {"convert bare.mlir -o bare.tosa", "convert net.mlir -o net.tosa",
                             "convert bare.tosa -o again.mlir"}) {
        REQUIRE(program.run(line).exit_code == 0);
    }
    check("bare.tosa", "bare.mlir:2:12");
    check("net.tosa", "layer");
    check("again.mlir", "again.mlir:3:14 \"bare.mlir:2:12\"");
}

TEST_CASE("cli/an input that is given twice is refused by its name") {
    const Program program;
    program.write("net.mlir",
                  "func.func @main(%x: tensor<?x3xf32>) -> tensor<?x3xf32> {\n"
                  "  return %x : tensor<?x3xf32>\n}\n");
    for (const char* line :
         {"run net.mlir --input x=2x3 --input x=4x3", "run net.mlir --input x=2x3 --input x=x.npy",
          "plan net.mlir --input x=2x3 --input x=2x3"}) {
        const ProgramRun run = program.run(line);
        CHECK(run.exit_code == 2);
        CHECK(contains(run.err, "--input x: is given twice"));
    }
}

TEST_CASE("cli/a run that ends with a fault says so and proposes only flags of run") {
    const Program program;
    write_model(program);
    const ProgramRun run = program.run("run model.tosa --command-budget 1");
    INFO(run.out << run.err);
    CHECK(run.exit_code == 3);
    CHECK(contains(run.out, "no band: the run ended with a fault"));
    CHECK_FALSE(contains(run.out, "too many"));
    const std::string fault = run.out.substr(run.out.find("fault ("));
    const std::string help = program.run("help run").out;
    std::size_t flags = 0;
    for (std::size_t at = fault.find("--"); at != std::string::npos;
         at = fault.find("--", at + 2)) {
        const std::size_t end = fault.find_first_not_of("abcdefghijklmnopqrstuvwxyz-", at);
        CAPTURE(fault.substr(at, end - at));
        CHECK(contains(help, fault.substr(at, end - at)));
        ++flags;
    }
    CHECK(flags > 0);
}

TEST_CASE("cli/a graph is not replayed; the message names the command that records it") {
    const Program program;
    write_model(program);
    program.write("model.mlir",
                  "func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {\n"
                  "  return %a : tensor<2xf32>\n}\n");
    for (const std::string model : {"model.tosa", "model.mlir"}) {
        const ProgramRun run = program.run("replay " + model);
        INFO(run.err);
        CHECK(run.exit_code == 2);
        CHECK(contains(run.err, model + ": is a graph ("));
        CHECK(contains(run.err, "`okksim run " + model + " --record FILE` makes one"));
    }
    program.write("notes.txt", "some notes");
    const ProgramRun notes = program.run("replay notes.txt");
    CHECK(notes.exit_code == 2);
    CHECK(contains(notes.err, "no recording"));
    CHECK(contains(notes.err, "okksim kernel --record FILE"));
}

TEST_CASE("cli/a model that is no model is refused") {
    const Program program;
    program.write("model.tosa", "no flatbuffer at all");
    for (const char* command : {"run", "plan", "coverage"}) {
        CAPTURE(command);
        const ProgramRun run = program.run(std::string(command) + " model.tosa");
        CHECK(run.exit_code == 2);
        CHECK(contains(run.err, "model.tosa"));
    }
}

TEST_CASE("cli/a plan tells every step's kernel, commands and memory without running it") {
    const Program program;
    write_model(program);
    const ProgramRun run = program.run("plan model.tosa --no-fusion --json");
    INFO(run.err);
    REQUIRE(run.exit_code == 0);
    const auto json = nlohmann::json::parse(run.out);
    REQUIRE(json["steps"].size() == 2);
    const auto& add = json["steps"][0];
    CHECK(add["operator"] == "ADD");
    // At least: load x, load b, add, store.
    CHECK(add["gdma_commands"].get<int>() >= 3);
    CHECK(add["bdc_commands"].get<int>() >= 1);
    // x and the sum have 24 bytes each.
    CHECK(add["bytes_moved"].get<int>() >= 2 * 24);
    CHECK(add["local_bytes"].get<int>() > 0);
}

}  // namespace okksim::tests
