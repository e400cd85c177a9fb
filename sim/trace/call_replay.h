// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "firmware/calls/context.h"
#include "sim/trace/call_trace.h"

namespace okksim::sim::trace {

/// Makes one recorded call on `context`: completes and checks the arguments, then issues commands.
/// Throws ProgramFault, as the function itself would.
void make_call(firmware::Context& context, const RecordedCall& call);

/// Makes one recorded call of a kernel that ran on the chip. The chip accepts more than its
/// documentation promises. Therefore an argument outside its documented range is accepted if the
/// command still has a meaning (command_check.h). Returns false for such a call. Throws
/// ProgramFault for a command without meaning and for addresses outside every memory.
bool make_recorded_call(firmware::Context& context, const RecordedCall& call);

/// Makes all remaining calls of a trace with make_recorded_call() and returns how many were outside
/// the documented ranges. Throws ConfigError with the line for a call that cannot be made: the file
/// was edited or is for another machine.
std::uint64_t make_calls(firmware::Context& context, CallTraceReader& trace);

}  // namespace okksim::sim::trace
