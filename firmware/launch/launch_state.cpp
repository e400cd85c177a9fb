// SPDX-License-Identifier: Apache-2.0
#include "firmware/launch/launch_state.h"

#include <utility>

#include "firmware/launch/call_stack.h"
#include "firmware/launch/kernel_invoker.h"

namespace okksim::firmware {

LaunchState::LaunchState(isa::CommandPort& port, ContextOptions options)
    : port_(port), machine_(port.machine()), options_(std::move(options)) {}

void LaunchState::forget_last_launch() {
    issued_.store(0, std::memory_order_relaxed);
    reported_.clear();
}

void LaunchState::report(FindingKind kind, const std::string& key, std::string message) {
    if (!options_.report || !reported_.insert(key).second) return;
    Finding finding{kind, std::move(message), {}, {}};
    if (options_.call_stacks && delivery_.function_frame != nullptr) {
        finding.call_stack =
            describe_call_stack(capture_call_stack(delivery_.function_frame, kernel_invoker()));
    }
    options_.report(std::move(finding));
}

void LaunchState::report(FindingKind kind, const std::string& key, std::string message,
                         const RawCallStack& stack) {
    if (!options_.report || !reported_.insert(key).second) return;
    options_.report(
        {kind, std::move(message), {}, describe_call_stack(without_library_frames(stack))});
}

}  // namespace okksim::firmware
