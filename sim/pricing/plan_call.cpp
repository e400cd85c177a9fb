// SPDX-License-Identifier: Apache-2.0
#include "sim/pricing/plan_call.h"

#include <string>

#include "firmware/leave/kernel_runner.h"
#include "firmware/okk.h"
#include "firmware/okk_access.h"

namespace okksim::sim::pricing {
namespace {

struct Request {
    kernels::OperatorKernel kernel;
    const kernels::OperatorCall& call;
};

void run_request(const void* argument) {
    const auto& request = *static_cast<const Request*>(argument);
    okk_initialize();
    okk_list_start();
    request.kernel(request.call);
    okk_list_end();
    okk_poll();
}

}  // namespace

PlannedCall plan_call(kernels::OperatorKernel kernel, const kernels::OperatorCall& call,
                      MachineHost& host, isa::CommandPort& port) {
    PlannedCall planned{kernels::DecisionList(std::string(tosa::op_name(call.op)))};
    kernels::Decisions decisions(host, planned.decisions);
    kernels::OperatorCall asking = call;
    asking.decisions = &decisions;
    const Request request{kernel, asking};
    firmware::Context context(port, host.options());
    try {
        const auto fault =
            firmware::run_kernel(context, &run_request, &request, firmware::DeliveryMode::kThrow);
        if (fault) {
            planned.is_complete = false;
            planned.fault = fault->message();
            planned.decisions.end_with(*fault);
        }
    } catch (const ValueUnknown&) {
        planned.is_complete = false;
    }
    return planned;
}

void run_firmware(MachineHost& host, isa::CommandPort& port, const kernels::Firmware& firmware) {
    firmware::Context context(port, host.options());
    const auto fault = firmware::run_kernel(
        context,
        [](const void* argument) {
            okk_initialize();
            (*static_cast<const kernels::Firmware*>(argument))();
            okk_poll();
        },
        &firmware, firmware::DeliveryMode::kThrow);
    if (fault) throw ProgramFault(*fault);
}

PlannedCall plan_call(kernels::OperatorKernel kernel, const kernels::OperatorCall& call,
                      MachineHost& host) {
    TimingPort port(host.params(), host.memory());
    return plan_call(kernel, call, host, port);
}

}  // namespace okksim::sim::pricing
