// SPDX-License-Identifier: Apache-2.0
#include "firmware/launch/foreign_call.h"

#include <mutex>

#include "firmware/launch/call_stack.h"
#include "isa/base/fault.h"

namespace okksim::firmware {
namespace {

/// The call stack of the foreign call. It is valid while FaultDelivery::foreign_call names one.
RawCallStack foreign_stack;
std::mutex foreign_mutex;

FaultRecord foreign_call(const char* function) {
    const std::lock_guard lock(foreign_mutex);
    FaultRecord record;
    record.call_stack = describe_call_stack(foreign_stack);
    record.code = FaultCode::kBadState;
    record.function = function;
    record.value = "a call from another thread";
    record.rule = "only the kernel's thread may call okk functions";
    record.advice = "make all calls from the function that was launched; a device has no threads";
    record.unit = "firmware";
    return record;
}

}  // namespace

void note_foreign_call(FaultDelivery& running, const char* function, const void* frame) {
    const std::lock_guard lock(foreign_mutex);
    if (running.foreign_call.load() != nullptr) return;  // the first one counts
    foreign_stack = capture_call_stack(frame, nullptr);
    running.foreign_call = function;
}

void throw_noted_call(FaultDelivery& delivery) {
    throw ProgramFault(foreign_call(delivery.foreign_call.exchange(nullptr)));
}

}  // namespace okksim::firmware
