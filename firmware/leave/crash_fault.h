// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <signal.h>
#include <ucontext.h>

#include "firmware/launch/fault_delivery.h"
#include "isa/fault.h"

namespace okksim::firmware {

/// Whether a signal says that the C library's heap is damaged: its locks may be held for ever, and
/// nothing that needs it can go on.
bool is_heap_damage(int number, const ucontext_t& state);

/// What the C library said when it ended the program by abort(); nullptr: nothing.
const char* abort_message();

/// What a host program is told of that has failed by itself, outside of all launches.
FaultRecord hosts_fault(const SignalReport& report);
/// What a kernel is told of that has broken the program that it runs in. `exception`: what the
/// simulator has noticed, or nullptr; `in_call`: while it carried out a call.
FaultRecord crash_fault(const SignalReport& report, const char* exception, bool in_call);

}  // namespace okksim::firmware
