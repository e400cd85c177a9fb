// SPDX-License-Identifier: Apache-2.0
#include "sim/planning/block_time.h"

#include <algorithm>

#include "firmware/okk_access.h"
#include "kernels/layers/layer_plan.h"
#include "sim/device/chip_device.h"
#include "sim/planning/decide.h"
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

void run_step(const graph::Block& block, const BlockPlan& plan, const Step& step) {
    if (step.kind == StepKind::kLayers) {
        const auto& layers = step.decisions.at<kernels::layers::LayerPlan>(0, "layers");
        kernels::layers::run_layers(bind_layers(block, step, plan.slots).call(), layers);
        return;
    }
    static const tosa::Attributes none = tosa::NoAttributes{};
    const graph::Operator& op = block.operators[step.op];
    const bool is_kernel = step.kind == StepKind::kKernel;
    const tosa::OpCode code = is_kernel ? op.op : tosa::OpCode::kIdentity;
    const std::vector<kernels::DeviceTensor> inputs = pick(plan.slots, step.inputs);
    const std::vector<kernels::DeviceTensor> outputs = pick(plan.slots, step.outputs);
    const std::vector<kernels::Follower> followers = bind_followers(block, step, plan.slots);
    kernels::Decisions decisions(step.decisions);
    if (step.listed) okk_list_start();
    kernels::find_operator_kernel(code)({code, is_kernel ? &op.attributes : &none, inputs, outputs,
                                         step.prepared, followers, &decisions});
    if (step.listed) okk_list_end();
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
            for (const Step& step : own.steps) run_step(block, own, step);
        });
    } catch (const pricing::ValueUnknown&) {
        return std::nullopt;
    } catch (const ProgramFault&) {
        return std::nullopt;
    }
    return port.timing().end_launch().microseconds();
}

}  // namespace okksim::sim::planning
