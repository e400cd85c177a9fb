// SPDX-License-Identifier: Apache-2.0
#include "firmware/leave/standstill_fault.h"

#include <string>
#include <utility>

#include "firmware/launch/kernel_faults.h"
#include "isa/stop_request.h"

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
                "a kernel may wait at most that long without issuing a command (call time budget)",
                "look for a lock that nobody releases, or a wait for what cannot come: on a device "
                "there are no other threads, no signals and no clock to sleep by; if it comes, "
                "raise the call time budget");
        case Standstill::kCall:
            record = time_fault(
                "no return for " + time + ", in which no command was completed",
                "a call may last at most that long without one (call time budget)",
                "most likely the kernel has overwritten the heap or the simulator's data, perhaps "
                "long before: build it with -fsanitize=address, or look for an array whose end is "
                "passed; if its commands do take so long, raise the call time budget");
    }
    record.function = function == nullptr ? "" : function;
    return record;
}

}  // namespace okksim::firmware
