// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <csignal>
#include <cstdint>

namespace okksim {

/// While one lives, SIGINT and SIGTERM ask the program to come to an end by itself, with everything
/// written that there is, instead of ending it at once; a second signal, 0.3 s later or more, does
/// that. At most one.
class StopRequest {
 public:
    StopRequest();
    ~StopRequest();
    StopRequest(const StopRequest&) = delete;
    StopRequest& operator=(const StopRequest&) = delete;

    /// The signal that has come, ever; 0: none.
    static int signal() { return signal_.load(std::memory_order_relaxed); }
    /// Ends the program by a signal as if nobody handled it, but with no file aside left behind.
    /// For handlers of signals.
    static void end_at_once(int signal);
    /// Throws ProgramFault (kBudget: the time that the user grants) when one has.
    static void check();

 private:
    static void on_signal(int signal);
    static std::atomic<int> signal_;
    static std::atomic<std::int64_t> first_;  ///< when it came, on the steady clock

    std::array<struct sigaction, 2> previous_{};
};

}  // namespace okksim
