// SPDX-License-Identifier: Apache-2.0
#include "firmware/guard/jump_guard.h"

#include <csetjmp>
#include <cstdint>
#include <cstdlib>
#include <exception>

#include "firmware/calls/context.h"
#include "firmware/launch/call_stack.h"
#include "firmware/launch/kernel_invoker.h"
#include "firmware/launch/next_definition.h"
#include "isa/base/fault.h"

namespace okksim::firmware {
namespace {

using Jump = void(void* target, int value);

// The lookup happens when the library is loaded, because it is not safe later.
Jump* const next_longjmp = next_of<Jump>("longjmp");
Jump* const next_siglongjmp = next_of<Jump>("siglongjmp");

/// Returns the stack pointer that a jump goes to; 0 on unknown hosts.
std::uintptr_t stack_pointer_in([[maybe_unused]] const void* target) {
#if defined(__x86_64__) && defined(__GLIBC__)
    constexpr int kStackPointer = 6;  // of the C library's saved registers
    std::uintptr_t pointer = static_cast<const std::uintptr_t*>(target)[kStackPointer];
    // The C library rotates the saved addresses and combines them with a secret of the thread.
    asm("ror $0x11, %0\n\txor %%fs:0x30, %0" : "+r"(pointer) : : "cc");
    return pointer;
#else
    return 0;
#endif
}

/// A limit for the size of a kernel's stack.
constexpr std::uintptr_t kMostStack = std::uintptr_t{64} << 20;

FaultRecord wild_jump(const char* function, const void* frame) {
    FaultRecord record;
    record.code = FaultCode::kBadState;
    record.function = function;
    record.argument = "env";
    record.value = "a setjmp() whose function has returned, or none";
    record.rule = "a jump may go only to a setjmp() whose function still runs";
    record.advice = "call longjmp() only from below the function that called setjmp()";
    record.unit = "firmware";
    record.call_stack = describe_call_stack(capture_call_stack(frame, kernel_invoker()));
    return record;
}

/// Ends a kernel that jumps to a function that has returned.
void check_jump(const char* function, const void* target, const void* frame) {
    Context* const context = Context::current();
    if (context == nullptr) return;
    FaultDelivery& delivery = context->delivery();
    if (delivery.runner_active == 0 || delivery.in_runtime != 0) return;
    const std::uintptr_t pointer = stack_pointer_in(target);
    const auto here = reinterpret_cast<std::uintptr_t>(frame);
    if (pointer == 0 || (pointer > here && pointer - here < kMostStack)) return;
    delivery.in_runtime = 1;
    delivery.exception = std::make_exception_ptr(ProgramFault(wild_jump(function, frame)));
    delivery.mode = DeliveryMode::kJump;
    delivery.deliver();
}

}  // namespace

void watch_jumps() {}

}  // namespace okksim::firmware

// These functions replace those of the C library in the whole process, like those of
// exit_guard.cpp.
extern "C" {

[[noreturn]] void longjmp(jmp_buf target, int value) noexcept {
    okksim::firmware::check_jump("longjmp", target, __builtin_frame_address(0));
    okksim::firmware::next_longjmp(target, value);
    std::abort();
}

[[noreturn]] void _longjmp(jmp_buf target, int value) noexcept {
    okksim::firmware::check_jump("longjmp", target, __builtin_frame_address(0));
    okksim::firmware::next_longjmp(target, value);
    std::abort();
}

[[noreturn]] void siglongjmp(sigjmp_buf target, int value) noexcept {
    okksim::firmware::check_jump("siglongjmp", target, __builtin_frame_address(0));
    okksim::firmware::next_siglongjmp(target, value);
    std::abort();
}

}  // extern "C"
