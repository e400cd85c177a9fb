// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include "firmware/calls/context.h"

namespace okksim::firmware {

/// Begins a call of the API function `function`, whose frame address is `frame`. Throws
/// ProgramFault (kBadState) when no kernel is running on this thread.
Context& enter_api_call(const char* function, const void* frame);

/// Sets the function that gets the fault of a call outside of all kernels, before the call throws.
/// C programs cannot catch what it throws. nullptr removes the function.
void tell_outside_calls(void (*tell)(const FaultRecord& fault));

/// Ends a call; throws ProgramFault (kBudget) when the kernel's time is up.
void leave_api_call(Context& context);

/// Throws the fault of a full stack (kHostSignal).
[[noreturn]] void throw_stack_overflow();

/// Keeps the current exception for delivery, inside its handler. A ProgramFault gets the function's
/// name and the firmware's call stack.
void hold_exception(Context& context);

/// Runs the body of an API function that enter_api_call() began. Its exceptions leave the kernel in
/// the way that the context says. The frames in between must not hold objects with destructors.
template <typename Body>
[[gnu::always_inline]] inline auto run_api_call(Context& context, const Body& body)
    -> decltype(body()) {
    context.delivery().in_runtime = 1;
    try {
        const auto frame = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
        if (frame < context.delivery().lowest_frame) [[unlikely]]
            throw_stack_overflow();
        if constexpr (std::is_void_v<decltype(body())>) {
            body();
            leave_api_call(context);
            return;
        } else {
            const auto result = body();
            leave_api_call(context);
            return result;
        }
    } catch (...) {
        hold_exception(context);
    }
    context.delivery().deliver();
}

}  // namespace okksim::firmware
