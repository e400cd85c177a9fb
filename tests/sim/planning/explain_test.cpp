// SPDX-License-Identifier: Apache-2.0
// Reasons for an operator's plan: the chosen alternative is in the list, and it is the cheapest.
#include "sim/planning/explain.h"

#include <algorithm>

#include "isa/base/errors.h"
#include "sim/planning/machine_plan.h"
#include "sim/zoo/zoo.h"
#include "tests/support/catch.h"

namespace {

using namespace okksim;
using namespace okksim::sim;
using planning::Alternative;
using planning::Explanation;

struct Network {
    Machine machine = load_machine("bm1684");
    graph::Graph graph;
    planning::GraphPlan plan;

    explicit Network(const planning::PlanEffort& effort = {}) {
        zoo::ZooOptions options;
        options.size = 64;
        graph = zoo::build_network("mobilenet_v2", options).graph;
        plan = planning::plan_for_machine(graph, machine, effort);
    }
    Explanation explain(const std::string& which) const {
        return planning::explain(graph, machine, plan, which);
    }
};

const Alternative& chosen(const Explanation& explanation) {
    const auto is_chosen = [](const Alternative& way) { return way.chosen; };
    REQUIRE(std::ranges::count_if(explanation.alternatives, is_chosen) == 1);
    return *std::ranges::find_if(explanation.alternatives, is_chosen);
}

}  // namespace

TEST_CASE("an operator of a layer group: all ways cost more than the chosen one") {
    const Network network;
    // The name of the first operator's result.
    const graph::Block& main = network.graph.main();
    const auto& group = network.plan.options.layers.at(0);
    const graph::Operator& op = main.operators[group.operators[3]];
    const Explanation explanation = network.explain(std::string(main.output(op, 0).name));
    CHECK(explanation.step == "a layer group");
    CHECK(explanation.operators == group.operators.size());
    const Alternative& best = chosen(explanation);
    for (const Alternative& way : explanation.alternatives) {
        CAPTURE(way.what, way.note);
        if (way.microseconds) CHECK(*way.microseconds >= *best.microseconds);
        CHECK((way.microseconds.has_value() || !way.note.empty()));
    }
    // The operator's number gives the same.
    CHECK(network.explain(std::to_string(op.index)).name == explanation.name);
}

TEST_CASE("an operator in a kernel that it shares, and in one of its own") {
    const Network shared({.fuse = true, .layers = false});
    const auto& steps = shared.plan.block(shared.graph.entry).steps;
    const auto sharing = std::ranges::find_if(
        steps, [](const planning::Step& step) { return !step.followers.empty(); });
    REQUIRE(sharing != steps.end());
    const graph::Block& main = shared.graph.main();
    const auto& follower = main.operators[sharing->followers[0].op];
    const Explanation explanation = shared.explain(std::to_string(follower.index));
    CHECK(explanation.operators == 1 + sharing->followers.size());
    CHECK(chosen(explanation).what == "shared kernels where they are faster");
    // The step, and the copies into the storage order that it needs.
    double step = 0;
    for (const planning::StepCost& cost : shared.plan.costs) {
        if (cost.op == sharing->op) step += cost.microseconds;
    }
    CHECK(*chosen(explanation).microseconds == Approx(step).epsilon(0.02));
    const Network apart({.fuse = false, .layers = false});
    const Explanation own = apart.explain(std::to_string(follower.index));
    CHECK(own.operators == 1);
    CHECK(chosen(own).what == "each operator in a separate kernel");
}

TEST_CASE("an operator that there is not") {
    CHECK_THROWS_WITH(Network().explain("t999999"), Catch::Contains("--explain t999999"));
}
