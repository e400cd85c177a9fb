// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <ctime>
#include <optional>

#include "firmware/calls/context.h"
#include "firmware/leave/launch_watch.h"

namespace okksim::firmware {

/// Ends a kernel that computes or makes calls for `seconds` of CPU time without issuing a command.
/// An unset time means no limit. It also ends a kernel that only repeats earlier commands for
/// repeat_seconds(). It also ends the kernel soon after the user has asked for an end
/// (isa/base/stop_request.h). A single call has no limit of its CPU time. The kernel is left by a
/// jump only from the library or program that contains `entry`. The C library is never left by a
/// jump, because it may hold locks. The program ends if a call does not return in time
/// (ContextOptions::call_seconds). It also ends if the kernel waits too long or cannot be left by a
/// jump. Needs a SignalGuard.
class IdleTimer {
 public:
    IdleTimer(Context& context, const void* entry);
    ~IdleTimer();
    IdleTimer(const IdleTimer&) = delete;
    IdleTimer& operator=(const IdleTimer&) = delete;

    struct Watch {
        Context* context = nullptr;
        std::uint64_t commands_seen = 0;
        std::uint64_t calls_seen = 0;
        std::uint64_t progress_seen = 0;
        std::uint64_t new_commands_seen = 0;
        int repeat_ticks = 0;  ///< since the first repeated command after the last new one
        int most_repeat_ticks = 0;
        int idle_ticks = 0;
        int most_idle_ticks = 0;
        double tick_seconds = 0;
        double still_seconds = 0;  ///< without a call, a command or a completed command
        std::uintptr_t code_begin = 0;
        std::uintptr_t code_end = 0;
    };

 private:
    Watch watch_;
    Watch* previous_watch_;
    LaunchWatch launch_;
    std::optional<timer_t> timer_;
};

}  // namespace okksim::firmware
