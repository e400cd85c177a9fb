// SPDX-License-Identifier: Apache-2.0
#include "firmware/guard/exit_guard.h"

#include <dlfcn.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <utility>

#include "firmware/calls/context.h"
#include "firmware/guard/broken_heap.h"
#include "firmware/launch/call_stack.h"
#include "firmware/launch/kernel_invoker.h"
#include "isa/base/fault.h"

namespace okksim::firmware {
namespace {

constexpr int kChildFailed = 3;

thread_local RawCallStack throw_stack;
thread_local pid_t launch_process = 0;

}  // namespace

void watch_exit() {
    throw_stack = {};
    launch_process = getpid();
}

void end_child(const std::optional<FaultRecord>& fault) {
    if (getpid() == launch_process) return;
    if (fault) {
        std::string text =
            "okksim: a process that the kernel has made by fork() ended with a fault (" +
            std::string(fault_code_name(fault->code)) + "): " + fault->message() + "\n";
        for (const std::string& frame : fault->call_stack) text += "    at " + frame + "\n";
        [[maybe_unused]] const auto written = write(STDERR_FILENO, text.data(), text.size());
    }
    while (true) syscall(SYS_exit_group, fault ? kChildFailed : 0);
}

const RawCallStack& last_throw() { return throw_stack; }

void note_throw(const void* frame) {
    if (broken_heap::keeps_all()) return;  // thread-local variables may be lost
    Context* context = Context::current();
    if (context == nullptr) return;
    const FaultDelivery& delivery = context->delivery();
    if (delivery.runner_active == 0 || delivery.in_runtime != 0) return;
    if (context->options().call_stacks) throw_stack = capture_call_stack(frame, kernel_invoker());
}

bool is_kernels_call() {
    if (broken_heap::keeps_all()) return false;  // thread-local variables may be lost
    Context* const context = Context::current();
    if (context == nullptr) return false;
    const FaultDelivery& delivery = context->delivery();
    // Processes that the kernel has made by fork() are not restricted.
    return delivery.runner_active != 0 && delivery.in_runtime == 0 && getpid() == launch_process;
}

void end_kernel_on_call(ForbiddenCall call, const void* frame) {
    if (!is_kernels_call()) return;
    FaultDelivery& delivery = Context::current()->delivery();
    delivery.in_runtime = 1;
    FaultRecord record;
    record.code = FaultCode::kBadState;
    record.function = call.function;
    record.argument = call.argument;
    record.value = std::move(call.value);
    record.rule = call.rule;
    record.advice = call.advice;
    record.unit = "firmware";
    record.call_stack = describe_call_stack(capture_call_stack(frame, kernel_invoker()));
    delivery.exception = std::make_exception_ptr(ProgramFault(std::move(record)));
    // exit() is declared not to throw, so the fault leaves the kernel by a jump in any mode.
    delivery.mode = DeliveryMode::kJump;
    delivery.deliver();
}

namespace {
constexpr const char* kNoProcess = "a kernel must not end the process or the thread";
constexpr const char* kReturn = "return from the kernel; use OKKERNEL_ASSERT to report an error";
}  // namespace

void end_kernel_on_exit(const char* function, int status, const void* frame) {
    end_kernel_on_call({function, "status", std::to_string(status), kNoProcess, kReturn}, frame);
}

void end_kernel_on_thread_exit(const void* frame) {
    end_kernel_on_call(
        {"pthread_exit", "", "called by the kernel's own thread", kNoProcess, kReturn}, frame);
}

}  // namespace okksim::firmware

// These functions replace those of the C library in the whole process. Calls that do not come from
// a kernel reach the C library.
extern "C" void exit(int status) noexcept {
    okksim::firmware::end_kernel_on_exit("exit", status, __builtin_frame_address(0));
    using ExitFunction = void (*)(int);
    const auto next = reinterpret_cast<ExitFunction>(dlsym(RTLD_NEXT, "exit"));
    if (next != nullptr) next(status);
    _Exit(status);
}

extern "C" void quick_exit(int status) noexcept {
    okksim::firmware::end_kernel_on_exit("quick_exit", status, __builtin_frame_address(0));
    using ExitFunction = void (*)(int);
    const auto next = reinterpret_cast<ExitFunction>(dlsym(RTLD_NEXT, "quick_exit"));
    if (next != nullptr) next(status);
    _Exit(status);
}

// When a handler catches an exception, the frames that threw it no longer exist.
extern "C" void __cxa_throw(void* object, void* type, void (*destroy)(void*)) {
    okksim::firmware::note_throw(__builtin_frame_address(0));
    using ThrowFunction = void (*)(void*, void*, void (*)(void*));
    static const auto next = reinterpret_cast<ThrowFunction>(dlsym(RTLD_NEXT, "__cxa_throw"));
    if (next != nullptr) next(object, type, destroy);
    std::abort();
}

// pthread_exit() would unwind the simulator's frames, because a kernel's thread has none to return
// to.
extern "C" void pthread_exit(void* result) {
    okksim::firmware::end_kernel_on_thread_exit(__builtin_frame_address(0));
    using ExitFunction = void (*)(void*);
    const auto next = reinterpret_cast<ExitFunction>(dlsym(RTLD_NEXT, "pthread_exit"));
    if (next != nullptr) next(result);
    std::abort();
}

extern "C" void _exit(int status) {
    okksim::firmware::end_kernel_on_exit("_exit", status, __builtin_frame_address(0));
    while (true) syscall(SYS_exit_group, status);
}

extern "C" void _Exit(int status) noexcept {
    okksim::firmware::end_kernel_on_exit("_Exit", status, __builtin_frame_address(0));
    while (true) syscall(SYS_exit_group, status);
}
