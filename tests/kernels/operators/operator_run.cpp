// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/operators/operator_run.h"

#include "firmware/okk.h"
#include "isa/base/errors.h"
#include "kernels/prepared_constants.h"
#include "tests/support/packing_memory.h"
#include "tests/support/planned_kernel.h"

namespace okksim::tests {

firmware::CallCounts OperatorRun::run(tosa::OpCode op, const tosa::Attributes& attributes,
                                      const std::vector<kernels::DeviceTensor>& inputs,
                                      const std::vector<kernels::DeviceTensor>& outputs) {
    const kernels::OperatorKernel kernel = kernels::find_operator_kernel(op);
    OKKSIM_CHECK(kernel != nullptr);
    kernels::OperatorCall call{op, &attributes, inputs, outputs};
    if (kernels::can_prepare(call)) call.prepared = (next_ + 127) / 128 * 128;
    KernelPlanner planner(reference_with(machine_.port().machine()),
                          machine_.port().system_memory());
    const kernels::DecisionList decisions = planner.plan(kernel, call);
    if (const std::uint64_t bytes = kernels::prepared_bytes(call, decisions); bytes > 0) {
        next_ = call.prepared + bytes;
        kernels::prepare_constants(call, decisions,
                                   packing_memory(machine_.port().system_memory()));
    }
    return machine_.run([&] {
        okk_initialize();
        KernelPlanner::run(kernel, call, decisions);
        okk_poll();
    });
}

}  // namespace okksim::tests
