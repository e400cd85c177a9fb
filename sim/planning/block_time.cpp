// SPDX-License-Identifier: Apache-2.0
#include "sim/planning/block_time.h"

#include <algorithm>

#include "isa/base/errors.h"
#include "kernels/layers/layer_plan.h"
#include "sim/device/chip_device.h"
#include "sim/planning/decide.h"
#include "sim/planning/run_step.h"
#include "sim/pricing/plan_call.h"

namespace okksim::sim::planning {
namespace {

/// True for copies of states, whose times do not depend on any choice.
bool is_state(const Step& step) {
    return step.kind == StepKind::kVariableRead || step.kind == StepKind::kVariableWrite;
}

/// Returns the steps of a block whose commands are known on the host.
std::vector<const Step*> known_steps(const graph::Block& block, const GraphPlan& plan,
                                     tosa::BlockReference reference) {
    std::vector<const Step*> known;
    auto cost = std::find_if(plan.costs.begin(), plan.costs.end(),
                             [&](const StepCost& each) { return each.place == reference; });
    for (const Step& step : plan.block(reference).steps) {
        OKKSIM_CHECK(cost != plan.costs.end() && cost->op == step.op);
        const bool is_custom = block.operators[step.op].op == tosa::OpCode::kCustom;
        const bool is_known = (cost++)->note.empty();
        if (is_known && !is_custom && !is_state(step)) known.push_back(&step);
    }
    return known;
}

void run(const graph::Block& block, const BlockPlan& plan, const Step& step) {
    if (step.kind != StepKind::kLayers) return run_step(block, step, plan.slots);
    const auto& layers = layer_plan_of(step);
    kernels::layers::run_layers(bind_layers(block, step, plan.slots).call(), layers);
}

}  // namespace

std::optional<double> block_microseconds(const graph::Graph& graph, const GraphPlan& plan,
                                         tosa::BlockReference reference, const Machine& machine) {
    const graph::Block& block = graph.block(reference);
    const BlockPlan& own = plan.block(reference);
    const std::vector<const Step*> steps = known_steps(block, plan, reference);
    const pricing::KnownMemory known = constants_of(plan);
    pricing::MachineHost host(machine.params, context_options(machine), known);
    pricing::TimingPort port(host.params(), host.memory());
    port.timing().begin_launch();
    try {
        pricing::run_firmware(host, port, [&] {
            for (const Step* step : steps) run(block, own, *step);
        });
    } catch (const pricing::ValueUnknown&) {
        return std::nullopt;
    } catch (const ProgramFault&) {
        return std::nullopt;
    }
    return port.timing().end_launch().microseconds();
}

}  // namespace okksim::sim::planning
