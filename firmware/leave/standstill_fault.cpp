// SPDX-License-Identifier: Apache-2.0
#include "firmware/leave/standstill_fault.h"

#include <string>
#include <utility>

#include "firmware/launch/kernel_faults.h"
#include "isa/base/stop_request.h"

namespace okksim::firmware {
namespace {

FaultRecord time_fault(std::string value, std::string rule, std::string advice) {
    FaultRecord record;
    record.code = FaultCode::kBudget;
    record.unit = "firmware";
    record.value = std::move(value);
    record.rule = std::move(rule);
    record.advice = std::move(advice);
    return record;
}

}  // namespace

FaultRecord standstill_fault(Standstill kind, double seconds, const char* function) {
    if (StopRequest::signal() != 0) return StopRequest::fault();
    const std::string time = std::to_string(seconds) + " s";
    FaultRecord record;
    switch (kind) {
        case Standstill::kLoops: return idle_time_fault(seconds);
        case Standstill::kWaits:
            return time_fault(
                "no command for " + time + ", in which the kernel slept or waited",
                "a kernel must issue a command within its call time budget",
                "look for a lock that is never released, or for a sleep: a device has no other "
                "threads, no signals and no clock. If the wait can end, raise the call time budget "
                "(okksim kernel: --call-seconds; host programs: OKKSIM_CALL_SECONDS)");
        case Standstill::kCall:
            record = time_fault(
                "no return for " + time + ", in which no command was completed",
                "a call must complete a command within its call time budget",
                "most likely the kernel has overwritten the heap or the simulator's data: build it "
                "with -fsanitize=address, or look for an out-of-bounds array access. If its "
                "commands are that slow, raise the call time budget (okksim kernel: "
                "--call-seconds; host programs: OKKSIM_CALL_SECONDS)");
    }
    record.function = function == nullptr ? "" : function;
    return record;
}

}  // namespace okksim::firmware
