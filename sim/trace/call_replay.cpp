// SPDX-License-Identifier: Apache-2.0
#include "sim/trace/call_replay.h"

#include <fmt/format.h>

#include "firmware/calls/issue.h"
#include "isa/base/errors.h"
#include "isa/base/fault.h"
#include "sim/trace/command_check.h"

namespace okksim::sim::trace {
void make_call(firmware::Context& context, const RecordedCall& call) {
    if (!call.control) {
        firmware::issue_call(context, call.command, call.nulls);
        return;
    }
    switch (*call.control) {
        case ControlCall::kInitialize: context.initialize(); return;
        case ControlCall::kPoll: context.poll(); return;
        case ControlCall::kParallelStart: context.parallel_start(); return;
        case ControlCall::kParallelEnd: context.parallel_end(); return;
    }
}

bool make_recorded_call(firmware::Context& context, const RecordedCall& call) {
    try {
        make_call(context, call);
        return true;
    } catch (const ProgramFault& fault) {
        if (call.control || fault.record().code != FaultCode::kBadArgument ||
            !call.command.info().is_command()) {
            throw;
        }
        isa::Command command = call.command;
        firmware::complete_arguments(command, call.nulls, context);
        if (!has_meaning(command, context.machine())) throw;
        context.issue(command);
        return false;
    }
}

std::uint64_t make_calls(firmware::Context& context, CallTraceReader& trace) {
    RecordedCall call;
    std::uint64_t loose = 0;
    while (trace.next(call)) {
        try {
            if (!make_recorded_call(context, call)) ++loose;
        } catch (const ProgramFault& fault) {
            FaultRecord record = fault.record();
            if (record.function.empty() && !call.control) {
                record.function = fmt::format("okk_{}", call.command.info().name);
            }
            throw ConfigError(trace.where(), record.message());
        }
    }
    return loose;
}

}  // namespace okksim::sim::trace
