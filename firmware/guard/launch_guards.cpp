// SPDX-License-Identifier: Apache-2.0
#include "firmware/guard/launch_guards.h"

#include "firmware/guard/exit_guard.h"
#include "firmware/guard/jump_guard.h"
#include "firmware/guard/process_guard.h"
#include "firmware/guard/system_call_guard.h"

namespace okksim::firmware {

void guard_launch() {
    watch_jumps();
    watch_system_calls();
    watch_process_calls();
    watch_exit();
}

}  // namespace okksim::firmware
