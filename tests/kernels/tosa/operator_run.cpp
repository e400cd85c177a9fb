// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/tosa/operator_run.h"

#include "firmware/okk.h"
#include "isa/errors.h"
#include "tests/support/planned_kernel.h"

namespace okksim::tests {

firmware::CallCounts OperatorRun::run(tosa::OpCode op, const tosa::Attributes& attributes,
                                      const std::vector<kernels::DeviceTensor>& inputs,
                                      const std::vector<kernels::DeviceTensor>& outputs) {
    const kernels::OperatorKernel kernel = kernels::find_operator_kernel(op);
    OKKSIM_CHECK(kernel != nullptr);
    const kernels::OperatorCall call{op, &attributes, inputs, outputs};
    KernelPlanner planner(reference_with(machine_.port().machine()),
                          machine_.port().system_memory());
    const kernels::DecisionList decisions = planner.plan(kernel, call);
    return machine_.run([&] {
        okk_initialize();
        KernelPlanner::run(kernel, call, decisions);
        okk_poll();
    });
}

}  // namespace okksim::tests
