// SPDX-License-Identifier: Apache-2.0
#include "firmware/launch/kernel_faults.h"

#include <fmt/format.h>

#include <algorithm>

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

double repeat_seconds(double idle_seconds) {
    constexpr double kLeastLimit = 10;
    constexpr double kShare = 0.8;  // the whole launch then ends within 10 s by default
    return kShare * std::max(idle_seconds, kLeastLimit);
}

FaultRecord repeated_commands_fault(double seconds) {
    if (StopRequest::signal() != 0) return StopRequest::fault();
    FaultRecord record;
    record.code = FaultCode::kBudget;
    record.value = fmt::format("the same commands for {:.3g} s of CPU time", seconds);
    record.rule = "a kernel must issue a new command within its time budget";
    record.advice =
        "look for an endless loop, or raise the time budget, of which 80 % count (okksim kernel: "
        "--idle-seconds; host programs: OKKSIM_IDLE_SECONDS)";
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
