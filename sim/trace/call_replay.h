// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "firmware/calls/context.h"
#include "sim/trace/call_trace.h"

namespace okksim::sim::trace {

/// Makes one recorded call on `context`: completes and checks the arguments and issues commands.
/// Throws ProgramFault, as the function itself would.
void make_call(firmware::Context& context, const RecordedCall& call);

/// Makes one recorded call of a kernel that ran on the chip, which takes more than its
/// documentation promises: an argument outside its documented range is let through when the
/// command still says what is to be moved and computed. Returns false for such a call. Throws
/// ProgramFault when it does not, and for addresses outside every memory.
bool make_recorded_call(firmware::Context& context, const RecordedCall& call);

/// Makes all remaining calls of a trace like make_recorded_call and returns how many were outside
/// the documented ranges. A call that cannot be made becomes a ConfigError that names the line: the
/// file was edited or is meant for another machine.
std::uint64_t make_calls(firmware::Context& context, CallTraceReader& trace);

}  // namespace okksim::sim::trace
