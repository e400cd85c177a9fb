// SPDX-License-Identifier: Apache-2.0
// Effort of the planner: thorough searches, time budgets, and stored plans.
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "isa/base/temporary_folder.h"
#include "models/chip/chip_params.h"
#include "sim/graph/builder.h"
#include "sim/graph/validate/validate.h"
#include "sim/planning/block_time.h"
#include "sim/planning/local_blocks.h"
#include "sim/planning/plan_cache.h"
#include "sim/planning/stored_plan.h"
#include "tests/support/catch.h"
#include "tests/support/random_layers.h"

namespace okksim {
namespace {

using namespace sim::planning;
using sim::Machine;
using sim::graph::Graph;

Graph network(std::uint64_t seed) {
    Graph graph = tests::RandomLayers(seed).make();
    sim::graph::validate_graph(graph);
    return graph;
}

Machine small_machine() {
    return sim::load_machine("bm1684",
                             {"chip.lanes=16", "chip.local_memory_bytes=65536", "mcu.issue=lists"});
}

double sum_of(const GraphPlan& plan) {
    double sum = 0;
    for (const StepCost& cost : plan.costs) sum += cost.microseconds;
    return sum;
}

double block_time(const Graph& graph, const GraphPlan& plan, const Machine& machine) {
    return block_microseconds(graph, plan, graph.entry, machine).value();
}

TEST_CASE("a thorough search is never slower than all cuts, and faster somewhere") {
    const Machine machine = small_machine();
    int faster = 0;
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
        const Graph graph = network(seed);
        const double all =
            block_time(graph, plan_for_machine(graph, machine, effort_of(2)), machine);
        const double thorough =
            block_time(graph, plan_for_machine(graph, machine, effort_of(3)), machine);
        CAPTURE(seed);
        CHECK(thorough <= all);
        faster += thorough < all ? 1 : 0;
    }
    CHECK(faster > 0);
}

TEST_CASE("a budget of candidates is kept, said, and gives the same plan again") {
    const Machine machine = small_machine();
    const Graph graph = network(3);
    SearchSpent whole;
    (void)plan_for_machine(graph, machine, effort_of(2), &whole);
    REQUIRE(whole.candidates > 2);
    CHECK_FALSE(whole.is_cut);
    const double stored = sum_of(plan_for_machine(graph, machine, effort_of(0)));
    for (const std::uint64_t most : {std::uint64_t{1}, whole.candidates / 2}) {
        PlanEffort effort = effort_of(2);
        effort.limit.candidates = most;
        SearchSpent spent;
        const GraphPlan plan = plan_for_machine(graph, machine, effort, &spent);
        CAPTURE(most);
        CHECK(spent.candidates == most);
        CHECK(spent.is_cut);
        CHECK_FALSE(spent.by_time);
        // The best plan so far is no slower than a plan without groups.
        CHECK(sum_of(plan) <= stored);
        const GraphPlan again = plan_for_machine(graph, machine, effort);
        CHECK(plan_choices_json(graph, plan, machine) == plan_choices_json(graph, again, machine));
    }
}

/// A convolution of few channels with a large window. Layers use the columns of its windows as
/// channels; kernels do not.
Graph wide_window() {
    sim::graph::GraphBuilder b;
    const auto x = b.input(tosa::DType::kFp32, {1, 40, 40, 3});
    const auto zero = b.constant({1}, {0.0F});
    const tosa::Conv2dAttributes attributes{
        {3, 3, 3, 3}, {1, 1}, {1, 1}, false, tosa::DType::kFp32};
    b.output(b.add(tosa::OpCode::kConv2d, attributes,
                   {x, b.constant({16, 7, 7, 3}, std::vector<float>(16 * 7 * 7 * 3, 0.5F)),
                    b.constant({16}, std::vector<float>(16, 1.0F)), zero, zero},
                   tosa::DType::kFp32, {1, 40, 40, 16}));
    Graph graph = b.finish();
    sim::graph::validate_graph(graph);
    return graph;
}

TEST_CASE("all cuts are also those of operators alone") {
    const Machine machine = sim::load_machine("bm1684", {"mcu.issue=lists"});
    const Graph graph = wide_window();
    const GraphPlan kernel = plan_for_machine(graph, machine, effort_of(1));
    const GraphPlan group = plan_for_machine(graph, machine, effort_of(2));
    CHECK(kernel.tried.empty());
    REQUIRE(group.tried.size() == 1);
    CHECK(group.tried[0].kept);
    CHECK(group.tried[0].group.operators.size() == 1);
    CHECK(block_time(graph, group, machine) < block_time(graph, kernel, machine));
}

TEST_CASE("a machine that holds no tile of an operator says so in the plan") {
    sim::graph::GraphBuilder b;
    b.output(b.add(tosa::OpCode::kReduceMax, tosa::ReduceMaxAttributes{2},
                   {b.input(tosa::DType::kFp32, {4, 64, 128})}, tosa::DType::kFp32, {4, 64, 1}));
    const Machine machine = sim::load_machine("bm1684", {"chip.local_memory_bytes=1024"});
    const GraphPlan plan = plan_for_machine(b.finish(), machine, PlanEffort{});
    REQUIRE(plan.costs.size() == 1);
    CHECK_THAT(plan.costs[0].note,
               Catch::Contains("fails: reduction: local memory = 1024 bytes per lane") &&
                   Catch::Contains("raise chip.local_memory_bytes"));
}

TEST_CASE("a search that its seconds end says so") {
    PlanEffort effort = effort_of(2);
    effort.limit.seconds = 1e-9;
    SearchSpent spent;
    (void)plan_for_machine(network(3), small_machine(), effort, &spent);
    CHECK(spent.is_cut);
    CHECK(spent.by_time);
    CHECK(spent.candidates == 0);
}

TEST_CASE("kept plans are taken for the same graph, machine and effort alone") {
    const TemporaryFolder folder;
    const std::filesystem::path plans = folder.path() / "plans";
    const Machine machine = small_machine();
    const Graph graph = network(5);
    const CachedPlan first = cached_plan(graph, machine, effort_of(3), plans);
    CHECK(first.is_new);
    CHECK(first.note.empty());
    const CachedPlan second = cached_plan(graph, machine, effort_of(3), plans);
    CHECK_FALSE(second.is_new);
    CHECK(sum_of(second.plan) == sum_of(first.plan));
    CHECK(cached_plan(graph, machine, effort_of(2), plans).is_new);
    CHECK(cached_plan(network(6), machine, effort_of(3), plans).is_new);
    Machine other = sim::load_machine("bm1684", {"mcu.issue=lists"});
    CHECK(cached_plan(graph, other, effort_of(3), plans).is_new);
}

TEST_CASE("a kept plan that does not fit is told of and not reused") {
    const TemporaryFolder folder;
    const Machine machine = small_machine();
    const Graph graph = network(5);
    (void)cached_plan(graph, machine, effort_of(1), folder.path());
    const std::filesystem::path file = std::filesystem::directory_iterator(folder.path())->path();
    SECTION("no plan at all") { std::ofstream(file) << "{}"; }
    SECTION("of another graph") {
        nlohmann::ordered_json json;
        std::ifstream(file) >> json;
        json["choices"]["graph"][0] = "0.0 %0 = ABS(input)";
        std::ofstream(file) << json;
    }
    SECTION("of another machine") {
        nlohmann::ordered_json json;
        std::ifstream(file) >> json;
        json["choices"]["machine_parameters"]["chip.lanes"] = "32";
        std::ofstream(file) << json;
    }
    SECTION("with steps that take something else") {
        nlohmann::ordered_json json;
        std::ifstream(file) >> json;
        json["steps"][0]["simulated_us"] = 0.0;
        std::ofstream(file) << json;
    }
    const CachedPlan again = cached_plan(graph, machine, effort_of(1), folder.path());
    CHECK(again.is_new);
    CHECK(again.note.find("not reused") != std::string::npos);
    CHECK_FALSE(cached_plan(graph, machine, effort_of(1), folder.path()).is_new);
}

TEST_CASE("blocks of layer groups lie in local memory, and apart where both are needed") {
    const Machine machine = small_machine();
    std::size_t blocks_seen = 0;
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        const Graph graph = network(seed);
        const GraphPlan plan = plan_for_machine(graph, machine, effort_of(2));
        const BlockPlan& main = plan.block(graph.entry);
        for (const Step& step : main.steps) {
            if (step.kind != StepKind::kLayers) continue;
            const std::vector<LocalBlock> blocks = local_blocks(graph.main(), main, step);
            blocks_seen += blocks.size();
            for (const LocalBlock& block : blocks) {
                CAPTURE(seed, block.name);
                CHECK(block.begin >= 0);
                CHECK(block.begin + block.bytes <= machine.params.chip->local_memory_bytes);
                CHECK(block.first <= block.last);
            }
            for (const LocalBlock& a : blocks) {
                for (const LocalBlock& b : blocks) {
                    // A result may use an operand's address in the section that computes it.
                    if (&a == &b || (a.use == LocalUse::kMap && b.use == LocalUse::kMap)) continue;
                    const bool same_time = a.first <= b.last && b.first <= a.last;
                    const bool same_place =
                        a.begin < b.begin + b.bytes && b.begin < a.begin + a.bytes;
                    CAPTURE(seed, a.name, b.name);
                    CHECK_FALSE((same_time && same_place));
                }
            }
        }
    }
    CHECK(blocks_seen > 20);
}

}  // namespace
}  // namespace okksim
