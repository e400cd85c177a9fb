// SPDX-License-Identifier: Apache-2.0
// `okksim inspect`: facts, times and remedies of a model.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/sim/cli/run_program.h"
#include "tests/support/catch.h"

namespace okksim::tests {
namespace {

using Json = nlohmann::json;

/// A product of a 4x8 and an 8x16 matrix.
void write_product(const Program& program, const std::string& type) {
    program.write("net.mlir", "func.func @main(%a: tensor<1x4x8x" + type + ">, %b: tensor<1x8x16x" +
                                  type + ">) -> tensor<1x4x16x" + (type == "i8" ? "i32" : type) +
                                  "> {\n"
                                  "  %az = \"tosa.const\"() {values = dense<0> : tensor<1x" +
                                  type + ">} : () -> tensor<1x" + type +
                                  ">\n"
                                  "  %y = tosa.matmul %a, %b, %az, %az : (tensor<1x4x8x" +
                                  type + ">, tensor<1x8x16x" + type + ">, tensor<1x" + type +
                                  ">, tensor<1x" + type + ">) -> tensor<1x4x16x" +
                                  (type == "i8" ? "i32" : type) +
                                  ">\n"
                                  "  return %y : tensor<1x4x16x" +
                                  (type == "i8" ? "i32" : type) + ">\n}\n");
}

Json inspected(const Program& program, const std::string& arguments, int exit_code = 0) {
    const ProgramRun run = program.run("inspect " + arguments + " --json");
    INFO(run.err);
    REQUIRE(run.exit_code == exit_code);
    return Json::parse(run.out);
}

}  // namespace

TEST_CASE("cli/inspect names inputs, outputs, work and native machine of a model") {
    const Program program;
    write_product(program, "i8");
    const Json json = inspected(program, "net.mlir --no-time");
    CHECK(json["inputs"][0]["shape"] == Json::array({1, 4, 8}));
    CHECK(json["inputs"][1]["type"] == "i8_t");
    CHECK(json["outputs"][0]["shape"] == Json::array({1, 4, 16}));
    CHECK(json["multiply_adds"] == 4 * 8 * 16);
    CHECK(json["operations"] == 2 * 4 * 8 * 16);
    CHECK(json["operator_count"] == 2);  // a constant and the product
    CHECK(json["parameters"] == 1);      // the zero point
    CHECK(json["parameter_bytes"] == 1);
    CHECK(json["emulated_types"][0]["missing"] == "int8_mac");
    CHECK_FALSE(json.contains("time"));
    CHECK(contains(program.run("inspect net.mlir --no-time").out, "use --machine bm1684-int8"));
    CHECK(inspected(program, "net.mlir --no-time --machine bm1684-int8")["emulated_types"].empty());
}

TEST_CASE("cli/inspect times the model and each remedy as a run does") {
    const Program program;
    write_product(program, "i8");
    const Json json = inspected(program, "net.mlir");
    const auto time_of = [&](const std::string& flags) {
        const auto run = program.run("run net.mlir --no-data --json " + flags);
        return Json::parse(run.out)["simulated_us"].get<double>();
    };
    CHECK(json["time"]["us"] == time_of(""));
    std::vector<double> times;
    for (const Json& remedy : json["remedies"]) {
        CAPTURE(remedy.dump());
        CHECK(remedy["us"] == time_of(remedy["flags"]));
        times.push_back(remedy["us"]);
    }
    CHECK(std::ranges::is_sorted(times));
    // Native instructions, lists, bandwidth, local memory, lanes.
    CHECK(times.size() == 5);
    // bm1684 has 32 bytes/ns to read, 27.3 to write, 512 KiB of local memory and 64 lanes.
    const std::string all = json["remedies"].dump();
    CHECK(contains(all, "--set dram.read_bytes_per_nanosecond=64 "));
    CHECK(contains(all, "--set dram.write_bytes_per_nanosecond=54.6"));
    CHECK(contains(all, "--set chip.local_memory_bytes=1048576"));
    CHECK(contains(all, "--set chip.lanes=128"));
    write_product(program, "f32");
    const Json native = inspected(program, "net.mlir --set mcu.issue=lists");
    CHECK(native["remedies"].size() == 3);  // neither native instructions nor lists
}

TEST_CASE("cli/inspect lists every unsupported operator with its place and advice") {
    const Program program;
    const std::string custom =
        "tosa.custom %x {domain_name = \"tools\", implementation_attrs = "
        "\"\", operator_name = ";
    const std::string type = " : (tensor<2xf32>) -> tensor<2xf32>\n";
    program.write("custom.mlir",
                  "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
                  "  %a = " +
                      custom + "\"f\"}" + type + "  %b = " + custom + "\"f\"}" + type +
                      "  %c = " + custom + "\"g\"}" + type + "  return %c : tensor<2xf32>\n}\n");
    const Json json = inspected(program, "custom.mlir", 1);
    CHECK(json["supported"] == false);
    REQUIRE(json["unread"].size() == 2);
    CHECK(json["unread"][0]["what"] == "CUSTOM f of domain tools");
    CHECK(json["unread"][0]["count"] == 2);
    CHECK(contains(json["unread"][0]["place"].get<std::string>(), "custom.mlir:2"));
    CHECK(contains(json["unread"][1]["advice"].get<std::string>(), "--library"));
    CHECK_FALSE(json.contains("time"));

    program.write("unread.mlir",
                  "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
                  "  %a = tosa.foo %x : (tensor<2xf32>) -> tensor<2xf32>\n"
                  "  %b = tosa.bar %a : (tensor<2xf32>) -> tensor<2xf32>\n"
                  "  return %b : tensor<2xf32>\n}\n");
    const ProgramRun unread = program.run("inspect unread.mlir");
    CHECK(unread.exit_code == 1);
    CHECK(contains(unread.out, "tosa.foo"));
    CHECK(contains(unread.out, "tosa.bar"));
    CHECK(contains(unread.out, "Advice:"));
}

TEST_CASE("cli/coverage is the former name of inspect without times") {
    const Program program;
    write_product(program, "f32");
    CHECK(program.run("coverage net.mlir --json").out ==
          program.run("inspect net.mlir --no-time --json").out);
}

}  // namespace okksim::tests
