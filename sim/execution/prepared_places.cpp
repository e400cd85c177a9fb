// SPDX-License-Identifier: Apache-2.0
// The names of prepared constants in global memory.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "kernels/prepared_constants.h"
#include "sim/execution/executor.h"
#include "sim/planning/run_step.h"

namespace okksim::sim::execution {
namespace {

using planning::Step;

/// Returns the operator and its constants: "CONV2D features (w, b)".
std::string owner_name(const graph::Block& block, const graph::Operator& op) {
    OperatorRecord record;
    record.op = op.op;
    if (!op.outputs.empty()) record.output = block.tensors[op.outputs[0]].name;
    std::vector<std::string> constants;
    for (const graph::TensorIndex input : op.inputs) {
        if (block.tensors[input].has_data) constants.push_back(block.tensors[input].name);
    }
    return operator_label(record) +
           (constants.empty() ? "" : fmt::format(" ({})", fmt::join(constants, ", ")));
}

/// Returns the pieces of a layer group's constants, in ascending order of address.
std::vector<NamedBytes> layer_places(const graph::Block& block, const Step& step) {
    const kernels::layers::LayerPlan& plan = planning::layer_plan_of(step);
    const graph::Operator& first = block.operators[step.layers.front().op];
    const graph::Operator& last = block.operators[step.layers.back().op];
    std::vector<NamedBytes> places{{fmt::format("constants prepared for {} to {}",
                                                owner_name(block, first), owner_name(block, last)),
                                    step.prepared, 0}};
    const auto add = [&](const char* what, const kernels::layers::PreparedPart& part) {
        const planning::StepLayer& layer = step.layers[static_cast<std::size_t>(part.op)];
        places.push_back(
            {fmt::format("{} prepared for {}", what, owner_name(block, block.operators[layer.op])),
             step.prepared + part.offset, 0});
    };
    for (const auto& part : plan.rows) add("table", part);
    for (const auto& part : plan.weights) add("weights", part);
    std::stable_sort(places.begin(), places.end(),
                     [](const auto& a, const auto& b) { return a.address < b.address; });
    const std::uint64_t end = step.prepared + plan.prepared_bytes();
    for (std::size_t i = 0; i < places.size(); ++i) {
        places[i].bytes = (i + 1 < places.size() ? places[i + 1].address : end) - places[i].address;
    }
    return places;
}

}  // namespace

std::vector<NamedBytes> GraphExecutor::prepared_places() const {
    std::vector<NamedBytes> places;
    for (std::size_t region = 0; region < plan_.blocks.size(); ++region) {
        for (std::size_t i = 0; i < plan_.blocks[region].size(); ++i) {
            const graph::Block& block = graph_.regions[region].blocks[i];
            const planning::BlockPlan& plan = plan_.blocks[region][i];
            for (const Step& step : plan.steps) {
                if (step.prepared == 0) continue;
                if (step.kind == planning::StepKind::kLayers) {
                    std::ranges::move(layer_places(block, step), std::back_inserter(places));
                    continue;
                }
                const graph::Operator& op = block.operators[step.op];
                const auto inputs = planning::pick(plan.slots, step.inputs);
                const auto outputs = planning::pick(plan.slots, step.outputs);
                const std::uint64_t bytes =
                    kernels::prepared_bytes({.op = op.op,
                                             .attributes = &op.attributes.get(),
                                             .inputs = inputs,
                                             .outputs = outputs,
                                             .prepared = step.prepared},
                                            step.decisions);
                places.push_back(
                    {"constants prepared for " + owner_name(block, op), step.prepared, bytes});
            }
        }
    }
    return places;
}

}  // namespace okksim::sim::execution
