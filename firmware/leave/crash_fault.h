// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <signal.h>
#include <ucontext.h>

#include "firmware/launch/fault_delivery.h"
#include "isa/base/fault.h"

namespace okksim::firmware {

/// Returns whether a signal means that the C library's heap is damaged. Then its locks may never be
/// released, and code that needs the heap cannot continue.
bool is_heap_damage(int number, const ucontext_t& state);

/// Returns the message of the C library's abort(); nullptr if there is none.
const char* abort_message();

/// Returns the fault of a host program that has failed outside of all launches.
FaultRecord hosts_fault(const SignalReport& report);
/// Returns the fault of a kernel that has broken the program that it runs in. `exception` is the
/// text of the simulator's failed check, or nullptr. `in_call` is set if the simulator was carrying
/// out a call.
FaultRecord crash_fault(const SignalReport& report, const char* exception, bool in_call);

}  // namespace okksim::firmware
