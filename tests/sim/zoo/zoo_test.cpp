// SPDX-License-Identifier: Apache-2.0
// Every network of the zoo in a small size, on the simulator and on the reference executor.
// Full-size networks: okksim zoo, okksim_reference_run, okksim conformance.
#include "sim/zoo/zoo.h"

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "isa/base/errors.h"
#include "sim/check/compare.h"
#include "sim/check/test_case.h"
#include "sim/execution/executor.h"
#include "sim/graph/formats/graph_formats.h"
#include "sim/graph/validate/validate.h"
#include "sim/planning/machine_plan.h"
#include "tests/reference/tosa/distribution.h"
#include "tests/reference/tosa/tosa_reference.h"
#include "tests/support/catch.h"

namespace {

using namespace okksim;
using namespace okksim::sim;
using zoo::Precision;

/// Options with which every network runs quickly.
zoo::ZooOptions small_options(const std::string& name, Precision precision) {
    zoo::ZooOptions options;
    options.precision = precision;
    options.batch = 2;
    options.width = name == "vgg16" || name == "bert" ? 0.125 : 0.25;
    options.size = name == "lstm" || name == "bert" ? 9 : 64;
    return options;
}

std::vector<graph::HostTensor> inputs_of(const zoo::ZooModel& model) {
    std::vector<graph::HostTensor> inputs;
    for (const auto& input : model.inputs) inputs.push_back(input.value);
    return inputs;
}

std::vector<graph::HostTensor> simulate(const zoo::ZooModel& model, const sim::Machine& machine) {
    const auto plan = planning::plan_for_machine(model.graph, machine, planning::PlanOptions{});
    Simulation simulation(machine, {});
    execution::GraphExecutor executor(model.graph, plan, simulation);
    const auto inputs = inputs_of(model);
    for (std::size_t i = 0; i < inputs.size(); ++i) executor.set_input(i, inputs[i]);
    const auto report = executor.run();
    if (report.fault) throw ProgramFault(*report.fault);
    CHECK(report.findings.empty());
    std::vector<graph::HostTensor> outputs;
    for (std::size_t i = 0; i < model.graph.main().outputs.size(); ++i) {
        outputs.push_back(executor.output(i));
    }
    return outputs;
}

void check_network(const std::string& name, Precision precision, const sim::Machine& machine) {
    const zoo::ZooModel model = zoo::build_network(name, small_options(name, precision));
    graph::validate_graph(model.graph);
    const auto wanted = reference::run_reference(model.graph, inputs_of(model), {.bounds = false});
    const auto got = simulate(model, machine);
    const check::Rule rule =
        check::ToleranceRule{model.relative_tolerance, model.absolute_tolerance};
    for (std::size_t i = 0; i < got.size(); ++i) {
        const auto verdict =
            check::compare(got[i], reference::to_array(wanted.outputs[i]), nullptr, rule);
        INFO(name << " output " << i << ": " << verdict.text());
        CHECK(verdict.passed);
    }
}

/// No layer of the int8 network exceeds its range or uses only a small part of it.
void check_ranges(const std::string& name) {
    zoo::ZooModel model = zoo::build_network(name, small_options(name, Precision::kInt8));
    const auto names = reference::expose_layers(model.graph);
    const auto result = reference::run_reference(model.graph, inputs_of(model), {.bounds = false});
    for (std::size_t i = 0; i < names.size(); ++i) {
        const auto d = reference::distribution_of(result.outputs[i]);
        const double least = result.outputs[i].type == tosa::DType::kI16 ? 1024.0 : 16.0;
        INFO(name << " " << names[i] << " mean " << d.mean << " deviation " << d.deviation
                  << " at the upper limit " << d.at_high);
        CHECK(d.at_high < 0.1);
        CHECK(d.greatest - d.least > least);
    }
}

TEST_CASE("Networks in fp32 agree with double precision", "[zoo]") {
    const sim::Machine machine = load_machine("bm1684", {});
    for (const auto& entry : zoo::zoo_entries()) {
        check_network(entry.name, Precision::kFp32, machine);
    }
}

TEST_CASE("Networks in fp16 agree with double precision", "[zoo]") {
    const sim::Machine machine = load_machine("bm1684", {});
    for (const auto& entry : zoo::zoo_entries()) {
        check_network(entry.name, Precision::kFp16, machine);
    }
}

TEST_CASE("Networks in int8 agree bit for bit", "[zoo]") {
    const sim::Machine machine =
        load_machine("bm1684", {"chip.lanes=8", "chip.local_memory_bytes=32768"});
    for (const auto& entry : zoo::zoo_entries()) {
        check_network(entry.name, Precision::kInt8, machine);
    }
}

TEST_CASE("Ranges of int8 layers fit their values", "[zoo]") {
    for (const auto& entry : zoo::zoo_entries()) check_ranges(entry.name);
}

TEST_CASE("A network's folder holds what conformance needs but the golden outputs", "[zoo]") {
    const auto folder = std::filesystem::temp_directory_path() / "okksim_zoo_test";
    const auto model = zoo::build_network("lstm", small_options("lstm", Precision::kInt8));
    zoo::write_test_folder("lstm", model, folder);
    // The description lists the folder's files and no others.
    CHECK_THROWS_WITH(check::load_test_case(folder), Catch::Contains("no reference for hidden"));
    std::ifstream stream(folder / "desc.json");
    auto desc = nlohmann::json::parse(stream);
    for (const char* list : {"ifm_file", "oracle"}) CHECK(desc.contains(list));
    CHECK(std::filesystem::exists(folder / desc["tosa_file"].get<std::string>()));
    for (const auto& file : desc["ifm_file"]) {
        CHECK(std::filesystem::exists(folder / file.get<std::string>()));
    }
    CHECK(desc["oracle"].size() == 1);  // "op"
    desc["oracle"]["expected_file"] = {"expected-hidden.npy"};
    std::ofstream(folder / "desc.json") << desc;
    const auto test = check::load_test_case(folder);
    REQUIRE(test.inputs.size() == 1);
    CHECK(test.inputs[0].name == "sequence");
    REQUIRE(test.outputs.size() == 1);
    // int16 tables and a loop; see section 1.6 of TOSA 1.0.1.
    CHECK(test.extensions == std::vector<std::string>{"tosa-ext-int16", "tosa-ext-controlflow"});
    graph::validate_graph(graph::load_graph(test.graph));
    std::filesystem::remove_all(folder);
}

TEST_CASE("Unknown networks and options are refused", "[zoo]") {
    CHECK_THROWS_AS(zoo::build_network("resnet51", {}), ConfigError);
    CHECK_THROWS_AS(zoo::build_network("resnet18", {.batch = 0}), ConfigError);
    CHECK_THROWS_AS(zoo::build_network("bert", {.size = 513}), ConfigError);
}

}  // namespace
