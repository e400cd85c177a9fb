// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <string>

#include "isa/fault.h"

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
    /// For reports: "SIGINT came; ...".
    static std::string text();
    /// The end as a fault (kBudget: the time that the user grants).
    static FaultRecord fault();
    /// Throws it when a signal has come.
    static void check();
    /// As if the signal had come: for programs that hear of signals by themselves.
    static void ask(int signal);
    /// Nobody asks any more: for programs that go on when what was asked to end has ended.
    static void withdraw();
    /// From now on, while no StopRequest lives, SIGINT, SIGTERM and SIGHUP end the program at once,
    /// as if nobody handled them, but with a word on standard error and no file aside left behind.
    static void end_at_once_without();

 private:
    static void end_at_once(int signal);
    static void on_signal(int signal);
    static std::atomic<int> signal_;
    static std::atomic<std::int64_t> first_;  ///< when it came, on the steady clock

    std::array<struct sigaction, 2> previous_{};
};

}  // namespace okksim
