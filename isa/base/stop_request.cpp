// SPDX-License-Identifier: Apache-2.0
#include "isa/base/stop_request.h"

#include <unistd.h>

#include <chrono>
#include <string_view>

#include "isa/base/output_file.h"

namespace okksim {
namespace {

constexpr std::array kSignals{SIGINT, SIGTERM};
constexpr std::array kEnds{SIGINT, SIGTERM, SIGHUP};
/// Signals within this time are one request. A caller may signal both the program and its process
/// group.
constexpr std::chrono::milliseconds kSameRequest{300};

std::int64_t now() { return std::chrono::steady_clock::now().time_since_epoch().count(); }

std::string_view signal_name(int signal) {
    switch (signal) {
        case SIGINT: return "SIGINT";
        case SIGTERM: return "SIGTERM";
        case SIGHUP: return "SIGHUP";
        case SIGALRM: return "SIGALRM";
        case SIGVTALRM: return "SIGVTALRM";
        case SIGPROF: return "SIGPROF";
        case SIGUSR1: return "SIGUSR1";
        case SIGUSR2: return "SIGUSR2";
        case SIGXCPU: return "SIGXCPU";
    }
    return "a signal";
}

/// The process that reports its end. Its forked children end without a message.
pid_t teller = 0;

/// Async-signal-safe.
void say(std::string_view text) {
    const ssize_t ignored = write(STDERR_FILENO, text.data(), text.size());
    static_cast<void>(ignored);
}

}  // namespace

std::atomic<int> StopRequest::signal_{0};
std::atomic<std::int64_t> StopRequest::first_{0};

StopRequest::StopRequest() {
    struct sigaction action {};
    action.sa_handler = &on_signal;
    for (std::size_t i = 0; i < kSignals.size(); ++i) {
        sigaction(kSignals[i], nullptr, &previous_[i]);
        // Keeps signals ignored that a shell has disabled for a background program.
        if (previous_[i].sa_handler != SIG_IGN) sigaction(kSignals[i], &action, nullptr);
    }
}

StopRequest::~StopRequest() {
    for (std::size_t i = 0; i < kSignals.size(); ++i)
        sigaction(kSignals[i], &previous_[i], nullptr);
}

void StopRequest::on_signal(int signal) {
    const std::int64_t time = now();
    if (signal_ == 0) {
        first_ = time;
        signal_ = signal;
    } else if (std::chrono::steady_clock::duration(time - first_) > kSameRequest) {
        end_at_once(signal);
    }
}

void StopRequest::ask(int signal) {
    first_ = now();
    signal_ = signal;
}

void StopRequest::withdraw() { signal_ = 0; }

void StopRequest::end_at_once(int signal) {
    OutputFile::forget_all();
    if (getpid() == teller) {
        say("okksim: ended by ");
        say(signal_name(signal));
        say(signal_ == 0 ? " before there was anything to report\n"
                         : ", the second; nothing was written\n");
    }
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

void StopRequest::end_at_once_without() {
    teller = getpid();
    for (const int signal : kEnds) {
        // Keeps signals ignored that a shell has disabled for a background program.
        if (std::signal(signal, &end_at_once) == SIG_IGN) std::signal(signal, SIG_IGN);
    }
}

std::string StopRequest::text() {
    return std::string(signal_name(signal())) + " arrived; this is the report up to then";
}

FaultRecord StopRequest::fault() {
    FaultRecord record;
    record.code = FaultCode::kBudget;
    record.value = signal_name(signal());
    record.rule = "the run was asked to end; all files are complete up to this point";
    record.unit = "host";
    return record;
}

void StopRequest::check() {
    if (signal() != 0) throw ProgramFault(fault());
}

}  // namespace okksim
