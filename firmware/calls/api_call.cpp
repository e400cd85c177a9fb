// SPDX-License-Identifier: Apache-2.0
#include "firmware/calls/api_call.h"

#include <pthread.h>

#include <atomic>
#include <utility>

#include "firmware/launch/call_stack.h"
#include "firmware/launch/foreign_call.h"
#include "firmware/launch/kernel_faults.h"
#include "firmware/launch/kernel_invoker.h"
#include "firmware/watch/kernel_checks.h"

namespace okksim::firmware {
namespace {

std::atomic<void (*)(const FaultRecord&)> outside_teller = nullptr;

FaultRecord outside_kernel(const char* function, const void* frame) {
    FaultRecord record;
    record.call_stack = describe_call_stack(capture_call_stack(frame, nullptr));
    record.code = FaultCode::kBadState;
    record.function = function;
    record.value = "a call outside of all kernels";
    record.rule = "okk functions may be called only by a kernel while it runs";
    record.advice = "call it in a kernel, which the host program launches (okkernel_launch_sync())";
    record.unit = "firmware";
    return record;
}

FaultRecord too_many_calls(std::uint64_t budget) {
    FaultRecord record;
    record.code = FaultCode::kBudget;
    record.value = "call " + std::to_string(budget + 1);
    record.rule =
        "a launch may make at most " + std::to_string(budget) + " okk calls (call budget)";
    record.advice =
        "look for an endless loop, or raise the call budget (okksim kernel: --call-budget; host "
        "programs: OKKSIM_CALL_BUDGET)";
    record.unit = "firmware";
    return record;
}

FaultRecord time_is_up(const Context& context, int cause) {
    const double seconds = context.options().idle_seconds.value_or(0);
    return cause == kOnlyRepeats ? repeated_commands_fault(repeat_seconds(seconds))
                                 : idle_time_fault(seconds);
}

}  // namespace

void tell_outside_calls(void (*tell)(const FaultRecord& fault)) { outside_teller = tell; }

Context& enter_api_call(const char* function, const void* frame) {
    Context* context = Context::current();
    if (context == nullptr) {
        FaultDelivery* const running = running_delivery.load();
        if (running == nullptr) {
            const FaultRecord fault = outside_kernel(function, frame);
            if (const auto tell = outside_teller.load()) tell(fault);
            throw ProgramFault(fault);
        }
        // The kernel has made this thread. The kernel ends at its next call.
        note_foreign_call(*running, function, frame);
        pthread_exit(nullptr);
    }
    FaultDelivery& delivery = context->delivery();
    if (delivery.is_watched()) [[unlikely]]
        context->checks()->kernel_stops();
    delivery.function_frame = frame;
    delivery.function = function;
    context->count_api_call();
    return *context;
}

void leave_api_call(Context& context) {
    FaultDelivery& delivery = context.delivery();
    if (delivery.time_is_up != 0) [[unlikely]] {
        const int cause = delivery.time_is_up;
        delivery.time_is_up = 0;
        throw ProgramFault(time_is_up(context, cause));
    }
    throw_foreign_call(delivery);
    const std::optional<std::uint64_t>& budget = context.options().call_budget;
    if (budget && context.counts().api_calls > *budget) [[unlikely]] {
        throw ProgramFault(too_many_calls(*budget));
    }
    delivery.function = nullptr;
    if (context.checks() != nullptr) context.checks()->kernel_goes_on();
    delivery.in_runtime = 0;
}

void throw_stack_overflow() { throw ProgramFault(stack_overflow("")); }

void hold_exception(Context& context) {
    FaultDelivery& delivery = context.delivery();
    try {
        throw;
    } catch (const ProgramFault& fault) {
        FaultRecord record = fault.record();
        if (record.function.empty()) record.function = delivery.function;
        if (record.call_stack.empty() && context.options().call_stacks) {
            record.call_stack =
                describe_call_stack(capture_call_stack(delivery.function_frame, kernel_invoker()));
        }
        delivery.exception = std::make_exception_ptr(ProgramFault(std::move(record)));
    } catch (...) {
        delivery.exception = std::current_exception();
    }
}

}  // namespace okksim::firmware
