// SPDX-License-Identifier: Apache-2.0
#include "firmware/api_call.h"

#include <utility>

#include "firmware/kernel_runner.h"

namespace okksim::firmware {
namespace {

FaultRecord outside_kernel(const char* function) {
    FaultRecord record;
    record.code = FaultCode::kBadState;
    record.function = function;
    record.rule = "okk functions may be called only by a kernel while it runs";
    record.advice = "launch a kernel and call the function there";
    record.unit = "firmware";
    return record;
}

FaultRecord time_is_up(const Context& context) {
    return idle_time_fault(context.options().idle_seconds.value_or(0));
}

}  // namespace

Context& enter_api_call(const char* function, const void* frame) {
    Context* context = Context::current();
    if (context == nullptr) throw ProgramFault(outside_kernel(function));
    FaultDelivery& delivery = context->delivery();
    delivery.function_frame = frame;
    delivery.function = function;
    context->count_api_call();
    return *context;
}

void leave_api_call(Context& context) {
    FaultDelivery& delivery = context.delivery();
    if (delivery.time_is_up != 0) [[unlikely]] {
        delivery.time_is_up = 0;
        throw ProgramFault(time_is_up(context));
    }
    delivery.function = nullptr;
    delivery.in_runtime = 0;
}

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

void FaultDelivery::deliver() {
    function = nullptr;
    in_runtime = 0;
    if (mode == DeliveryMode::kJump && runner_active != 0) siglongjmp(jump_target, 1);
    std::rethrow_exception(std::exchange(exception, nullptr));
}

}  // namespace okksim::firmware
