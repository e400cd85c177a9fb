// SPDX-License-Identifier: Apache-2.0
#include "isa/stop_request.h"

#include <chrono>
#include <cstring>

#include "isa/fault.h"
#include "isa/output_file.h"

namespace okksim {
namespace {

constexpr std::array kSignals{SIGINT, SIGTERM};
/// Who ends a program may signal it and its process group: what comes so soon is the same request.
constexpr std::chrono::milliseconds kSameRequest{300};

std::int64_t now() { return std::chrono::steady_clock::now().time_since_epoch().count(); }

}  // namespace

std::atomic<int> StopRequest::signal_{0};
std::atomic<std::int64_t> StopRequest::first_{0};

StopRequest::StopRequest() {
    struct sigaction action {};
    action.sa_handler = &on_signal;
    for (std::size_t i = 0; i < kSignals.size(); ++i) {
        sigaction(kSignals[i], nullptr, &previous_[i]);
        // Who starts a program in the background may have had them ignored.
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

void StopRequest::end_at_once(int signal) {
    OutputFile::forget_all();
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

void StopRequest::check() {
    const int number = signal();
    if (number == 0) return;
    FaultRecord record;
    record.code = FaultCode::kBudget;
    record.value = strsignal(number);
    record.rule = "the run was asked to end; what there is up to here has been written";
    record.unit = "host";
    throw ProgramFault(std::move(record));
}

}  // namespace okksim
