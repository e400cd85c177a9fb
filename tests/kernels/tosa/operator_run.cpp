// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/tosa/operator_run.h"

#include "firmware/okk.h"
#include "isa/errors.h"

namespace okksim::tests {

firmware::CallCounts OperatorRun::run(tosa::OpCode op, const tosa::Attributes& attributes,
                                      const std::vector<kernels::DeviceTensor>& inputs,
                                      const std::vector<kernels::DeviceTensor>& outputs) {
    const kernels::OperatorKernel kernel = kernels::find_operator_kernel(op);
    OKKSIM_CHECK(kernel != nullptr);
    return machine_.run([&] {
        okk_initialize();
        kernel({op, &attributes, inputs, outputs});
        okk_poll();
    });
}

}  // namespace okksim::tests
