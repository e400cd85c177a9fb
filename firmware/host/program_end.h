// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

namespace okksim::firmware::host {

/// From now on, a call of the okk API outside of all kernels is reported. It ends the program with
/// exit code 3 after everything is written.
void end_on_outside_calls();

/// From now on, unhandled signals that end the program do so only after all files are written.
/// These are SIGINT, SIGTERM, SIGHUP, and the signals of timers and of users. A running launch,
/// which Launching shows, ends first. A second signal ends the program at once.
void write_files_on_signals();

/// Launches run while one lives.
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

/// Returns the signal by which write_files_on_signals() will end the program after the launch; 0 if
/// there is none.
int asked_to_end();
/// Ends the program by the default action of that signal.
[[noreturn]] void end_by_signal(int signal);

}  // namespace okksim::firmware::host
