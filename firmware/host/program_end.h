// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

namespace okksim::firmware::host {

/// From now on, a call of the okk API while no kernel runs is told of and ends the program with
/// exit code 3, everything that was gathered written.
void end_on_outside_calls();

/// From now on signals that nobody handles and that would end the program do so only when all files
/// have been written: SIGINT, SIGTERM and SIGHUP, those of timers, and those for users. A launch
/// under way, which Launching shows, is ended first; a second signal ends it, too.
void write_files_on_signals();

/// While one lives, launches run.
class Launching {
 public:
    Launching() { runs_ = true; }
    ~Launching() { runs_ = false; }
    Launching(const Launching&) = delete;
    Launching& operator=(const Launching&) = delete;
    static bool runs() { return runs_; }

 private:
    static std::atomic<bool> runs_;
};

/// The signal that write_files_on_signals() is to end the program by, once a launch has come to its
/// end; 0: none.
int asked_to_end();
/// Ends the program by that signal, as if nobody handled it.
[[noreturn]] void end_by_signal(int signal);

}  // namespace okksim::firmware::host
