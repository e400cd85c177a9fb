// SPDX-License-Identifier: Apache-2.0
#include "firmware/host/program_end.h"

#include <csignal>
#include <cstdlib>
#include <string>

#include "firmware/calls/api_call.h"
#include "firmware/host/host_log.h"
#include "firmware/leave/crash_thread.h"
#include "isa/base/output_file.h"
#include "isa/base/stop_request.h"

namespace okksim::firmware::host {
namespace {

constexpr int kGuestFailedCode = 3;  ///< exit code
constexpr int kSignals[] = {SIGINT,  SIGTERM, SIGHUP,  SIGALRM, SIGVTALRM,
                            SIGPROF, SIGUSR1, SIGUSR2, SIGXCPU};

/// Only on_signal() sets this value. Other users of StopRequest may stop launches and let the
/// program continue.
std::atomic<int> asked = 0;

void tell_and_end(const FaultRecord& fault) {
    std::string text = fault.message();
    for (const std::string& frame : fault.call_stack) text += "\n    in " + frame;
    log_host_error(text);
    static std::atomic<bool> is_ending = false;
    if (is_ending.exchange(true))
        std::_Exit(kGuestFailedCode);  // functions that run at the end may come here again
    std::exit(kGuestFailedCode);
}

void on_signal(int signal) {
    if (Launching::runs() && asked == 0) {
        asked = signal;
        StopRequest::ask(signal);
        return;
    }
    CrashThread::end_asked(signal);
    end_by_signal(signal);
}

}  // namespace

std::atomic<bool> Launching::runs_ = false;

void end_on_outside_calls() { tell_outside_calls(&tell_and_end); }

void write_files_on_signals() {
    for (const int signal : kSignals) {
        struct sigaction found {};
        sigaction(signal, nullptr, &found);
        // Handlers of the program stay in place, and ignored signals stay ignored.
        if ((found.sa_flags & SA_SIGINFO) != 0 || found.sa_handler != SIG_DFL) continue;
        struct sigaction action {};
        action.sa_handler = &on_signal;
        action.sa_flags = SA_ONSTACK | SA_RESTART;
        sigaction(signal, &action, nullptr);
    }
}

int asked_to_end() { return asked; }

void end_by_signal(int signal) {
    OutputFile::forget_all();
    std::signal(signal, SIG_DFL);
    sigset_t only;
    sigemptyset(&only);
    sigaddset(&only, signal);
    sigprocmask(SIG_UNBLOCK, &only, nullptr);
    std::raise(signal);
    constexpr int kEndedBySignal = 128;
    std::_Exit(kEndedBySignal + signal);
}

}  // namespace okksim::firmware::host
