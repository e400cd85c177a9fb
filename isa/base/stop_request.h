// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <string>

#include "isa/base/fault.h"

namespace okksim {

/// While an instance lives, SIGINT and SIGTERM request an orderly end: the program stops and
/// completes its files. A second signal, 0.3 s later or more, ends the program at once. At most one
/// instance.
class StopRequest {
 public:
    StopRequest();
    ~StopRequest();
    StopRequest(const StopRequest&) = delete;
    StopRequest& operator=(const StopRequest&) = delete;

    /// The first signal that has arrived; 0: none.
    static int signal() { return signal_.load(std::memory_order_relaxed); }
    /// Text for reports: "SIGINT came; ...".
    static std::string text();
    /// The stop as a fault (kBudget: the time that the user grants).
    static FaultRecord fault();
    /// Throws fault() if a signal has arrived.
    static void check();
    /// Requests a stop as if the signal had arrived, for programs that handle signals themselves.
    static void ask(int signal);
    /// Clears the request, for programs that continue after the stopped work has ended.
    static void withdraw();
    /// Sets handlers for the time in which no StopRequest lives. SIGINT, SIGTERM and SIGHUP then
    /// end the program at once, with a message on standard error. Temporary files are removed.
    static void end_at_once_without();

 private:
    static void end_at_once(int signal);
    static void on_signal(int signal);
    static std::atomic<int> signal_;
    static std::atomic<std::int64_t> first_;  ///< arrival time of the signal on the steady clock

    std::array<struct sigaction, 2> previous_{};
};

}  // namespace okksim
