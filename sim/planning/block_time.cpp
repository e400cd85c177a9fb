// SPDX-License-Identifier: Apache-2.0
#include "sim/planning/block_time.h"

#include <algorithm>

#include "kernels/layers/layer_plan.h"
#include "sim/device/chip_device.h"
#include "sim/planning/decide.h"
#include "sim/planning/run_step.h"
#include "sim/pricing/plan_call.h"

namespace okksim::sim::planning {
namespace {

bool is_static(const Step& step) {
    switch (step.kind) {
        case StepKind::kKernel:
        case StepKind::kReorder:
        case StepKind::kLayers: return true;
        case StepKind::kCondIf:
        case StepKind::kWhileLoop:
        case StepKind::kVariableRead:
        case StepKind::kVariableWrite: break;
    }
    return false;
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
    const bool known_before =
        std::all_of(own.steps.begin(), own.steps.end(), [&](const Step& step) {
            return is_static(step) && block.operators[step.op].op != tosa::OpCode::kCustom;
        });
    if (!known_before) return std::nullopt;
    const pricing::KnownMemory known = constants_of(plan);
    pricing::MachineHost host(machine.params, context_options(machine), known);
    pricing::TimingPort port(host.params(), host.memory());
    port.timing().begin_launch();
    try {
        pricing::run_firmware(host, port, [&] {
            for (const Step& step : own.steps) run(block, own, step);
        });
    } catch (const pricing::ValueUnknown&) {
        return std::nullopt;
    } catch (const ProgramFault&) {
        return std::nullopt;
    }
    return port.timing().end_launch().microseconds();
}

}  // namespace okksim::sim::planning
