// SPDX-License-Identifier: Apache-2.0
// Sections of layer groups are merged where that reduces waits of the engines.
#include "kernels/layers/section_merge.h"

#include <algorithm>

#include "kernels/layers/layer_plan.h"
#include "sim/device/chip_device.h"
#include "sim/graph/builder.h"
#include "sim/graph/validate/validate.h"
#include "sim/planning/layer_check.h"
#include "sim/planning/layer_groups.h"
#include "sim/planning/machine_plan.h"
#include "sim/pricing/machine_host.h"
#include "tests/support/catch.h"

namespace {

using namespace okksim;
using namespace okksim::sim;
using kernels::layers::LayerPlan;
using kernels::layers::LayerSearch;
using kernels::layers::LayerSection;
using kernels::layers::SliceCounts;

/// A chain of depthwise convolutions on a large feature map, whose GDMA transfer takes longer than
/// each convolution.
graph::Graph chain(int operators) {
    graph::GraphBuilder builder;
    const graph::Shape shape{2, 14, 14, 256};
    auto value = builder.input(tosa::DType::kFp32, shape);
    const auto zero = builder.constant({1}, {0.0f});
    for (int i = 0; i < operators; ++i) {
        const auto weights = builder.constant({3, 3, 256, 1}, std::vector<float>(9 * 256, 1.0f));
        const auto bias = builder.constant({256}, std::vector<float>(256, 0.0f));
        value = builder.add(tosa::OpCode::kDepthwiseConv2d,
                            tosa::DepthwiseConv2dAttributes{
                                {1, 1, 1, 1}, {1, 1}, {1, 1}, false, tosa::DType::kFp32},
                            {value, weights, bias, zero, zero}, tosa::DType::kFp32, shape);
    }
    builder.output(value);
    return builder.finish();
}

struct Planned {
    graph::Graph graph = chain(3);
    Machine machine = load_machine("bm1684", {"chip.lanes=32", "mcu.issue=lists"});

    Planned() { graph::validate_graph(graph); }

    planning::LayerGroup group(LayerSearch search) const {
        const planning::GraphPlan base = planning::plan_for_machine(
            graph, machine, planning::PlanEffort{.fuse = true, .layers = false});
        std::vector<std::uint32_t> operators;
        for (std::uint32_t i = 0; i < graph.main().operators.size(); ++i) {
            if (graph.main().operators[i].op == tosa::OpCode::kDepthwiseConv2d) {
                operators.push_back(i);
            }
        }
        const planning::ChosenLayers choice{graph.entry, operators, SliceCounts{2, 1}, search};
        auto groups = planning::plan_layer_groups(
            graph, base, machine, planning::OperatorTimes(graph, base), {&choice, 1});
        REQUIRE(groups[0].has_value());
        return *groups[0];
    }
};

std::int32_t most_works(const LayerPlan& plan) {
    return std::ranges::max_element(plan.sections, {}, &LayerSection::works)->works;
}

TEST_CASE("a longer search puts sections together, and all parts are carried out all the same") {
    const Planned planned;
    const planning::LayerGroup first = planned.group(LayerSearch::kFirst);
    const planning::LayerGroup thorough = planned.group(LayerSearch::kThorough);
    const auto& before = first.decisions.at<LayerPlan>(0, planning::kLayersDecision);
    const auto& after = thorough.decisions.at<LayerPlan>(0, planning::kLayersDecision);
    CHECK(most_works(before) == 1);
    // The second image arrives while several layers process the first one.
    CHECK(most_works(after) > 1);
    CHECK(thorough.microseconds < first.microseconds);
    for (const LayerPlan* plan : {&before, &after}) {
        std::int32_t works = 0, transfers = 0;
        for (const LayerSection& section : plan->sections) {
            works += section.works;
            transfers += section.transfers;
        }
        CHECK(works == static_cast<std::int32_t>(plan->works.size()));
        CHECK(transfers == static_cast<std::int32_t>(plan->transfers.size()));
    }
}

TEST_CASE("sections that need each other stay apart") {
    const Planned planned;
    const planning::LayerGroup group = planned.group(LayerSearch::kThorough);
    const auto& plan = group.decisions.at<LayerPlan>(0, planning::kLayersDecision);
    // A feature map is loaded before its first reader's section and stored after its writer's
    // section.
    std::size_t transfer = 0, work = 0;
    for (const LayerSection& section : plan.sections) {
        for (std::int32_t t = 0; t < section.transfers; ++t, ++transfer) {
            const int part = plan.transfers[transfer].part;
            for (std::int32_t w = 0; w < section.works; ++w) {
                const auto& layer = plan.layers[static_cast<std::size_t>(
                    plan.works[work + static_cast<std::size_t>(w)].layer)];
                const bool loads =
                    plan.transfers[transfer].kind == kernels::layers::TransferKind::kLoadMap;
                const bool reads = std::ranges::find(layer.maps, part) != layer.maps.end();
                CHECK_FALSE((loads && reads));
                CHECK_FALSE((!loads && layer.output == part));
            }
        }
        work += static_cast<std::size_t>(section.works);
    }
}

}  // namespace
