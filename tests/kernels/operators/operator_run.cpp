// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/operators/operator_run.h"

#include <cstring>

#include "firmware/okk.h"
#include "isa/base/errors.h"
#include "kernels/prepared_constants.h"
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
        machine_.run([&] {
            okk_initialize();
            kernels::prepare_constants(call, decisions);
            okk_poll();
        });
        {
            const auto pointer = [&](std::uint64_t address, std::uint64_t size) {
                return machine_.port().system_memory().pointer(address, size);
            };
            kernels::prepare_constants(
                call, decisions,
                {[&](std::uint64_t address, std::uint64_t size) {
                     return reinterpret_cast<const unsigned char*>(pointer(address, size));
                 },
                 [&](std::uint64_t address, std::span<const std::byte> packed) {
                     OKKSIM_CHECK(std::memcmp(pointer(address, packed.size()), packed.data(),
                                              packed.size()) == 0);
                 }});
        }
    }
    return machine_.run([&] {
        okk_initialize();
        KernelPlanner::run(kernel, call, decisions);
        okk_poll();
    });
}

}  // namespace okksim::tests
