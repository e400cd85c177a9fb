// SPDX-License-Identifier: Apache-2.0
#include "isa/stop_request.h"

#include <cstring>

#include "isa/fault.h"

namespace okksim {
namespace {

constexpr std::array kSignals{SIGINT, SIGTERM};

}  // namespace

std::atomic<int> StopRequest::signal_{0};

StopRequest::StopRequest() {
    struct sigaction action {};
    action.sa_handler = &on_signal;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
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

void StopRequest::on_signal(int signal) { signal_ = signal; }

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
