// SPDX-License-Identifier: Apache-2.0
#include "firmware/launch_guards.h"

#include "firmware/exit_guard.h"
#include "firmware/jump_guard.h"
#include "firmware/process_guard.h"
#include "firmware/system_call_guard.h"

namespace okksim::firmware {

void guard_launch() {
    watch_jumps();
    watch_system_calls();
    watch_process_calls();
    watch_exit();
}

}  // namespace okksim::firmware
