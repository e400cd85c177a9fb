// SPDX-License-Identifier: Apache-2.0
#include "firmware/launch/kernel_faults.h"

#include "isa/base/stop_request.h"

namespace okksim::firmware {

FaultRecord idle_time_fault(double seconds) {
    if (StopRequest::signal() != 0) return StopRequest::fault();
    FaultRecord record;
    record.code = FaultCode::kBudget;
    record.value = "no command for " + std::to_string(seconds) + " s of CPU time";
    record.rule = "a kernel must issue a command within its time budget";
    record.advice =
        "look for an endless loop, or raise the time budget (okksim kernel: --idle-seconds; host "
        "programs: OKKSIM_IDLE_SECONDS)";
    record.unit = "firmware";
    return record;
}

FaultRecord stack_overflow(const std::string& where) {
    FaultRecord record;
    record.code = FaultCode::kHostSignal;
    record.value = "stack overflow" + where;
    record.rule = "firmware must stay inside its stack";
    record.advice = "look for endless recursion or large local arrays";
    record.unit = "firmware";
    return record;
}

}  // namespace okksim::firmware
