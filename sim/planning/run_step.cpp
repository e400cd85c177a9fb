// SPDX-License-Identifier: Apache-2.0
#include "sim/planning/run_step.h"

#include "firmware/okk_access.h"

namespace okksim::sim::planning {

const kernels::layers::LayerPlan& layer_plan_of(const Step& step) {
    return step.decisions.at<kernels::layers::LayerPlan>(0, kLayersDecision);
}

void run_step(const graph::Block& block, const Step& step,
              std::span<const kernels::DeviceTensor> slots) {
    static const tosa::Attributes none = tosa::NoAttributes{};
    const graph::Operator& op = block.operators[step.op];
    const bool is_kernel = step.kind == StepKind::kKernel;
    const tosa::OpCode code = is_kernel ? op.op : tosa::OpCode::kIdentity;
    const std::vector<kernels::DeviceTensor> inputs = pick(slots, step.inputs);
    const std::vector<kernels::DeviceTensor> outputs = pick(slots, step.outputs);
    const std::vector<kernels::Follower> followers = bind_followers(block, step, slots);
    kernels::Decisions decisions(step.decisions);
    if (step.listed) okk_list_start();
    const kernels::OperatorCall call{code,          is_kernel ? &op.attributes.get() : &none,
                                     inputs,        outputs,
                                     step.prepared, followers,
                                     &decisions};
    kernels::find_call_kernel(call)(call);
    if (step.listed) okk_list_end();
    decisions.check_all_taken();
}

}  // namespace okksim::sim::planning
