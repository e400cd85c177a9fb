// SPDX-License-Identifier: Apache-2.0
// Stored plans give the same run as the original plans.
#include "sim/planning/stored_plan.h"

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "isa/base/errors.h"
#include "sim/execution/timed_graph.h"
#include "sim/graph/builder.h"
#include "sim/planning/machine_plan.h"
#include "sim/report/plan_report.h"
#include "sim/zoo/zoo.h"
#include "tests/support/catch.h"

namespace {

using namespace okksim;
using namespace okksim::sim;
using Json = nlohmann::ordered_json;
using planning::GraphPlan;
using planning::StoredPlan;

/// A small network with layer groups, its plan, and the plan's document.
struct Planned {
    Machine machine;
    graph::Graph graph;
    GraphPlan plan;
    Json document;

    explicit Planned(const std::string& network, zoo::Precision precision,
                     const std::vector<std::string>& settings = {},
                     const planning::PlanEffort& effort = {},
                     const std::string& machine_name = "bm1684")
        : machine(load_machine(machine_name, settings)) {
        zoo::ZooOptions options;
        options.precision = precision;
        options.size = 64;
        graph = zoo::build_network(network, options).graph;
        plan = planning::plan_for_machine(graph, machine, effort);
        document = report::plan_json(graph, plan, machine);
    }
};

/// The document as a file that lives as long as this object.
class PlanFile {
 public:
    explicit PlanFile(const std::string& text) { std::ofstream(path_) << text; }
    explicit PlanFile(const Json& document) : PlanFile(document.dump()) {}
    ~PlanFile() { std::filesystem::remove(path_); }
    StoredPlan read() const { return StoredPlan(path_); }

 private:
    std::filesystem::path path_ = std::filesystem::temp_directory_path() /
                                  ("okksim-plan-" + std::to_string(::getpid()) + ".json");
};

std::string refusal(const Json& document, const graph::Graph& graph) {
    const PlanFile file(document);
    try {
        (void)file.read().plan(graph);
    } catch (const ConfigError& error) {
        return error.what();
    }
    return "accepted";
}

models::Picoseconds time_on(const Machine& machine, const Planned& planned, const GraphPlan& plan) {
    const auto report = execution::time_graph(planned.graph, plan, machine, {});
    REQUIRE(!report.fault);
    return report.end - report.start;
}

}  // namespace

TEST_CASE("a plan that was written down has the steps, the groups and the time of the plan") {
    const bool int8 = GENERATE(false, true);
    const bool calls = GENERATE(false, true);
    const Planned planned("mobilenet_v2", int8 ? zoo::Precision::kInt8 : zoo::Precision::kFp32,
                          calls ? std::vector<std::string>{"chip.lanes=16"}
                                : std::vector<std::string>{"mcu.issue=lists"});
    REQUIRE(!planned.plan.options.layers.empty());
    const PlanFile file(planned.document);
    const StoredPlan stored = file.read();
    CHECK(stored.machine().hash() == planned.machine.hash());
    CHECK(stored.machine().label() == planned.machine.label());
    const planning::ReadPlan read = stored.plan(planned.graph);
    CHECK(read.difference == "");
    CHECK(read.plan.options.layers.size() == planned.plan.options.layers.size());
    CHECK(report::plan_json(planned.graph, read.plan, stored.machine()) == planned.document);
    const Machine faster = stored.machine_with({"bdc.clock_mhz=1000"});
    CHECK(time_on(planned.machine, planned, read.plan) ==
          time_on(planned.machine, planned, planned.plan));
    CHECK(time_on(faster, planned, read.plan) == time_on(faster, planned, planned.plan));
    CHECK(time_on(faster, planned, read.plan) < time_on(planned.machine, planned, planned.plan));
}

TEST_CASE("plans without fusion and without groups are plans too") {
    const Planned planned("mobilenet_v2", zoo::Precision::kFp32, {},
                          {.fuse = false, .layers = false});
    const PlanFile file(planned.document);
    const planning::ReadPlan read = file.read().plan(planned.graph);
    CHECK(read.difference == "");
    CHECK(report::plan_json(planned.graph, read.plan, planned.machine) == planned.document);
}

TEST_CASE("a person may choose otherwise, as long as it can be") {
    Planned planned("mobilenet_v2", zoo::Precision::kFp32);
    auto& groups = planned.document["choices"]["groups"];
    REQUIRE(groups.size() >= 1);
    SECTION("no group: the plan of -O0, and the steps are no longer those of the document") {
        groups = Json::array();
        const PlanFile file(planned.document);
        const planning::ReadPlan read = file.read().plan(planned.graph);
        const GraphPlan apart =
            planning::plan_for_machine(planned.graph, planned.machine, {.layers = false});
        CHECK(read.plan.costs.size() == apart.costs.size());
        CHECK_THAT(read.difference, Catch::Contains("in the document"));
        CHECK(time_on(planned.machine, planned, read.plan) ==
              time_on(planned.machine, planned, apart));
    }
    SECTION("more slices than rows") {
        groups[0]["slices"]["rows"] = 1000;
        CHECK_THAT(refusal(planned.document, planned.graph),
                   Catch::Contains("choices.groups[0]: these operators cannot be one group"));
    }
    SECTION("an operator twice") {
        groups[0]["operators"].push_back(groups[0]["operators"].back());
        CHECK_THAT(refusal(planned.document, planned.graph), Catch::Contains("is in two groups"));
    }
    SECTION("operators with others between them") {
        auto& operators = groups[0]["operators"];
        REQUIRE(operators.size() > 3);
        operators.erase(1);
        CHECK_THAT(refusal(planned.document, planned.graph),
                   Catch::Contains("does not directly follow"));
    }
    SECTION("an operator that there is not") {
        groups[0]["operators"].push_back(1000000);
        CHECK_THAT(refusal(planned.document, planned.graph),
                   Catch::Contains("the graph has no operator 1000000 in block 0.0"));
    }
    SECTION("no slice") {
        groups[0]["slices"]["rows"] = 0;
        CHECK_THAT(refusal(planned.document, planned.graph),
                   Catch::Contains("choices.groups[0].slices.rows: is no number of slices"));
    }
}

TEST_CASE("a plan says in which blocks transpositions are strides") {
    Planned planned("bert", zoo::Precision::kInt8, {"mcu.issue=lists"}, {.layers = false},
                    "okk-next");
    Json& strided = planned.document["choices"]["strided"];
    REQUIRE(strided == Json::array({{{"region", 0}, {"block", 0}}}));
    {
        const PlanFile file(planned.document);
        const planning::ReadPlan read = file.read().plan(planned.graph);
        CHECK(read.difference == "");
        CHECK(report::plan_json(planned.graph, read.plan, planned.machine) == planned.document);
    }
    {
        // Documents without "strided" choices: transpositions are copies, which take longer.
        Json copied = planned.document;
        copied["choices"].erase("strided");
        const planning::ReadPlan read = PlanFile(copied).read().plan(planned.graph);
        CHECK(read.plan.costs.size() > planned.plan.costs.size());
        CHECK_THAT(read.difference, Catch::Contains("step "));
        CHECK(time_on(planned.machine, planned, read.plan) >
              time_on(planned.machine, planned, planned.plan));
    }
    strided[0]["block"] = 9;
    CHECK_THAT(refusal(planned.document, planned.graph),
               Catch::Contains("choices.strided: the graph has no block 0.9"));
}

TEST_CASE("a plan says which products share a kernel with their rows") {
    // The rows that BERT reads are known only at run time; the rest is compared without them.
    Planned planned("bert", zoo::Precision::kFp32, {"mcu.issue=lists"}, {.layers = false});
    const Json main_block = Json::array({{{"region", 0}, {"block", 0}}});
    CHECK(planned.document["choices"]["strided"] == main_block);
    REQUIRE(planned.document["choices"]["chained"] == main_block);
    const PlanFile file(planned.document);
    const planning::ReadPlan read = file.read().plan(planned.graph);
    CHECK(read.difference == "");
    Json apart = planned.document;
    apart["choices"].erase("chained");
    CHECK(PlanFile(apart).read().plan(planned.graph).plan.costs.size() > planned.plan.costs.size());
}

TEST_CASE("a plan says for which part of local memory groups were made") {
    Planned planned("mobilenet_v2", zoo::Precision::kFp32, {"chip.local_memory_bytes=1MiB"});
    auto& groups = planned.document["choices"]["groups"];
    REQUIRE(groups.size() >= 1);
    for (const int halvings : {0, 2}) {
        groups[0]["halvings"] = halvings;
        const PlanFile file(planned.document);
        const GraphPlan plan = file.read().plan(planned.graph).plan;
        const Json again = report::plan_json(planned.graph, plan, planned.machine);
        const Json& group = again["choices"]["groups"][0];
        CHECK(group.value("halvings", 0) == halvings);
        CHECK(group["operators"] == groups[0]["operators"]);
    }
    groups[0]["halvings"] = 4;
    CHECK_THAT(refusal(planned.document, planned.graph),
               Catch::Contains("choices.groups[0].halvings: 4 halvings of local memory "
                               "are more than 3"));
    groups[0]["halvings"] = -1;
    CHECK_THAT(refusal(planned.document, planned.graph),
               Catch::Contains("choices.groups[0].halvings"));
}

TEST_CASE("a plan for another graph is refused with the first difference") {
    const Planned planned("mobilenet_v2", zoo::Precision::kFp32);
    const Planned other("resnet50", zoo::Precision::kFp32);
    const std::string message = refusal(planned.document, other.graph);
    CHECK_THAT(message, Catch::Contains("the plan is for another graph"));
    // MobileNetV2 begins with 32 channels, ResNet-50 with 64.
    CHECK_THAT(message, Catch::Contains("x32 fp32_t\" there"));
    CHECK_THAT(message, Catch::Contains("x64 fp32_t\" here"));
}

/// A convolution that replaces another one with a different window: all results keep their shapes.
graph::Graph convolution(std::int32_t taps, std::int32_t zeros, std::int32_t spacing) {
    graph::GraphBuilder b;
    const auto x = b.input(tosa::DType::kFp32, {1, 12, 12, 4});
    const auto zero = b.constant({1}, {0.0F});
    const tosa::Conv2dAttributes attributes{
        {zeros, zeros, zeros, zeros}, {1, 1}, {spacing, spacing}, false, tosa::DType::kFp32};
    const auto count = static_cast<std::size_t>(4 * taps * taps * 4);
    b.output(b.add(tosa::OpCode::kConv2d, attributes,
                   {x, b.constant({4, taps, taps, 4}, std::vector<float>(count, 0.5F)),
                    b.constant({4}, std::vector<float>(4, 1.0F)), zero, zero},
                   tosa::DType::kFp32, {1, 12, 12, 4}));
    return b.finish();
}

TEST_CASE("a plan is for attributes and shapes of constants, too") {
    const Machine machine = load_machine("bm1684");
    const graph::Graph own = convolution(3, 1, 1);
    const Json document = report::plan_json(
        own, planning::plan_for_machine(own, machine, planning::PlanEffort{}), machine);
    CHECK(PlanFile(document).read().plan(convolution(3, 1, 1)).difference == "");
    const auto other = Catch::Contains("the plan is for another graph");
    CHECK_THAT(refusal(document, convolution(1, 0, 1)), other);
    CHECK_THAT(refusal(document, convolution(3, 2, 2)), other);
}

TEST_CASE("a plan of the longest search is the same when it is read") {
    for (const char* local : {"65536", "524288", "2097152"}) {
        const Planned planned("mobilenet_v2", zoo::Precision::kFp32,
                              {"mcu.issue=lists", std::string("chip.local_memory_bytes=") + local},
                              planning::effort_of(3));
        const planning::ReadPlan read = PlanFile(planned.document).read().plan(planned.graph);
        CAPTURE(local);
        CHECK(read.difference == "");
        CHECK(time_on(planned.machine, planned, read.plan) ==
              time_on(planned.machine, planned, planned.plan));
    }
}

TEST_CASE("what is no plan is refused by name and key") {
    Planned planned("mobilenet_v2", zoo::Precision::kFp32, {}, {.layers = false});
    Json& document = planned.document;
    const auto says = [&](const std::string& text) {
        CHECK_THAT(refusal(document, planned.graph), Catch::Contains(text));
    };
    SECTION("no choices") {
        document.erase("choices");
        says("holds no plan");
    }
    SECTION("a missing key") {
        document["choices"].erase("fuse");
        says("choices.fuse: the key is missing");
    }
    SECTION("a key of the wrong kind") {
        document["choices"]["alone"] = 3;
        says("choices.alone: the key is missing, or no list");
    }
    SECTION("a negative position") {
        document["choices"]["alone"] = Json::array({{{"region", 0}, {"block", 0}, {"op", -1}}});
        says("choices.alone[0].op: must be an integer of at least 0 that fits");
    }
    SECTION("a block that there is not") {
        document["choices"]["alone"] = Json::array({{{"region", 0}, {"block", 9}, {"op", 1}}});
        says("choices.alone: the graph has no block 0.9");
    }
    SECTION("an unknown parameter of the machine") {
        document["choices"]["machine_parameters"]["chip.lames"] = "3";
        says("chip.lames");
    }
    SECTION("a machine without lanes") {
        document["choices"]["machine_parameters"]["chip.lanes"] = "0";
        says("chip.lanes");
    }
}

TEST_CASE("a plan whose values are nested without end is refused, not followed") {
    const std::string deep = std::string(200000, '[') + std::string(200000, ']');
    for (const std::string& text :
         {"{\"choices\": {\"machine_parameters\": " + deep + "}}",
          "{\"choices\": {\"groups\": [{\"region\": 0, \"block\": 0, \"operators\": " + deep +
              "}]}}"}) {
        const PlanFile file(text);
        CHECK_THROWS_WITH(file.read(), Catch::Contains("nested"));
    }
}

TEST_CASE("text that is no JSON is no plan") {
    const PlanFile file(std::string("{\"choices\": {"));
    CHECK_THROWS_AS(file.read(), ConfigError);
}
