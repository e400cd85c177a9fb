// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <ctime>
#include <optional>

#include "firmware/calls/context.h"
#include "firmware/leave/launch_watch.h"

namespace okksim::firmware {

/// Ends the kernel when it computes, or makes calls, for `seconds` of CPU time without issuing a
/// command (nothing: for any time), and soon when the user has asked for an end
/// (isa/stop_request.h); a single call may last as long as it likes. The jump happens only out of
/// the library or program that `entry` lies in, never out of the C library, whose locks could be
/// held. A call that does not come back (ContextOptions::call_seconds), or not soon when the user
/// has asked for an end, ends the program, and so does a kernel that waits for so long or that no
/// jump can leave. Needs a SignalGuard.
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
        int idle_ticks = 0;
        int most_idle_ticks = 0;
        double tick_seconds = 0;
        double still_seconds = 0;  ///< without a call, a command or an end of one
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
