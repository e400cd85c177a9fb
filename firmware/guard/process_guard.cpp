// SPDX-License-Identifier: Apache-2.0
#include "firmware/guard/process_guard.h"

#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdarg>
#include <cstring>
#include <string>
#include <vector>

#include "firmware/calls/context.h"
#include "firmware/guard/exit_guard.h"
#include "firmware/launch/call_stack.h"
#include "firmware/launch/kernel_invoker.h"
#include "firmware/launch/next_definition.h"

namespace okksim::firmware {
namespace {

std::string text_of(const char* path) {
    return path == nullptr ? "NULL" : "\"" + std::string(path) + "\"";
}

/// Returns whether the kernel itself makes the call. The simulator, and its signal handlers in
/// particular, also make such calls while a kernel's code runs.
bool is_forbidden(const void* frame) { return is_kernels_call() && !is_own_code(call_site(frame)); }

void end_on_exec(const char* function, const char* path, const void* frame) {
    if (!is_forbidden(frame)) return;
    end_kernel_on_call({function, "path", text_of(path), "a kernel must not start another program",
                        "return from the kernel; start programs in the host program"},
                       frame);
}

/// The simulator uses signals to catch the kernel's faults and to end it, so the kernel must not
/// change them.
void end_on_signal(const char* function, int signal, const void* frame) {
    if (!is_forbidden(frame)) return;
    const char* const name = sigabbrev_np(signal);
    end_kernel_on_call(
        {function, "signal", name == nullptr ? std::to_string(signal) : "SIG" + std::string(name),
         "a kernel must not handle, block or send signals",
         "remove the call; use OKKERNEL_ASSERT to report an error"},
        frame);
}

void end_on_clock(const char* function, const void* frame) {
    if (!is_forbidden(frame)) return;
    end_kernel_on_call({function, "", "", "a kernel must not set a timer",
                        "remove the call; okksim itself ends endless kernels (time budget)"},
                       frame);
}

void end_on_system_call(long number, long first, const void* frame) {
    if (!is_forbidden(frame)) return;
    switch (number) {
        case SYS_exit:
        case SYS_exit_group: return end_kernel_on_exit("syscall", static_cast<int>(first), frame);
        case SYS_execve: return end_on_exec("syscall", reinterpret_cast<const char*>(first), frame);
        case SYS_execveat: return end_on_exec("syscall", nullptr, frame);
        default: return;
    }
}

/// A thread that makes no calls of the API is no fault: it may be unrelated to the kernel.
void tell_of_thread(const void* frame) {
    if (!is_forbidden(frame)) return;
    Context& context = *Context::current();
    FaultDelivery& delivery = context.delivery();
    delivery.in_runtime = 1;
    context.report(FindingKind::kRule, "thread",
                   "pthread_create: the kernel makes a thread, but a device has no threads; do the "
                   "work in the launched function",
                   capture_call_stack(frame, kernel_invoker()));
    delivery.in_runtime = 0;
}

std::atomic<long (*)(long, ...)> next_system_call = nullptr;

/// Returns the arguments of execl() and its like, up to the NULL at their end.
std::vector<char*> arguments_of(const char* first, va_list& rest) {
    std::vector<char*> all{const_cast<char*>(first)};
    while (all.back() != nullptr) all.push_back(va_arg(rest, char*));
    return all;
}

}  // namespace

void watch_process_calls() {}

}  // namespace okksim::firmware

using namespace okksim::firmware;

// These functions replace those of the C library in the whole process, like those of
// exit_guard.cpp. Calls that do not come from a kernel reach the C library.
extern "C" {

int execve(const char* path, char* const arguments[], char* const variables[]) noexcept {
    end_on_exec("execve", path, __builtin_frame_address(0));
    static auto* const next = next_of<int(const char*, char* const*, char* const*)>("execve");
    return next(path, arguments, variables);
}
int fexecve(int file, char* const arguments[], char* const variables[]) noexcept {
    end_on_exec("fexecve", nullptr, __builtin_frame_address(0));
    static auto* const next = next_of<int(int, char* const*, char* const*)>("fexecve");
    return next(file, arguments, variables);
}
int execv(const char* path, char* const arguments[]) noexcept {
    end_on_exec("execv", path, __builtin_frame_address(0));
    static auto* const next = next_of<int(const char*, char* const*)>("execv");
    return next(path, arguments);
}
int execvp(const char* name, char* const arguments[]) noexcept {
    end_on_exec("execvp", name, __builtin_frame_address(0));
    static auto* const next = next_of<int(const char*, char* const*)>("execvp");
    return next(name, arguments);
}
int execvpe(const char* name, char* const arguments[], char* const variables[]) noexcept {
    end_on_exec("execvpe", name, __builtin_frame_address(0));
    static auto* const next = next_of<int(const char*, char* const*, char* const*)>("execvpe");
    return next(name, arguments, variables);
}
int execl(const char* path, const char* argument, ...) noexcept {
    end_on_exec("execl", path, __builtin_frame_address(0));
    va_list rest;
    va_start(rest, argument);
    const std::vector<char*> all = arguments_of(argument, rest);
    va_end(rest);
    return execv(path, all.data());
}
int execlp(const char* name, const char* argument, ...) noexcept {
    end_on_exec("execlp", name, __builtin_frame_address(0));
    va_list rest;
    va_start(rest, argument);
    const std::vector<char*> all = arguments_of(argument, rest);
    va_end(rest);
    return execvp(name, all.data());
}
int execle(const char* path, const char* argument, ...) noexcept {
    end_on_exec("execle", path, __builtin_frame_address(0));
    va_list rest;
    va_start(rest, argument);
    const std::vector<char*> all = arguments_of(argument, rest);
    char* const* const variables = va_arg(rest, char* const*);
    va_end(rest);
    return execve(path, all.data(), variables);
}

int kill(pid_t process, int signal) noexcept {
    end_on_signal("kill", signal, __builtin_frame_address(0));
    static auto* const next = next_of<int(pid_t, int)>("kill");
    return next(process, signal);
}
sighandler_t signal(int number, sighandler_t handler) noexcept {
    end_on_signal("signal", number, __builtin_frame_address(0));
    static auto* const next = next_of<sighandler_t(int, sighandler_t)>("signal");
    return next(number, handler);
}
int sigaction(int number, const struct sigaction* action, struct sigaction* old) noexcept {
    if (action != nullptr) end_on_signal("sigaction", number, __builtin_frame_address(0));
    static auto* const next =
        next_of<int(int, const struct sigaction*, struct sigaction*)>("sigaction");
    return next(number, action, old);
}

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*begin)(void*),
                   void* argument) noexcept {
    tell_of_thread(__builtin_frame_address(0));
    static auto* const next =
        next_of<int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*)>("pthread_create");
    return next(thread, attributes, begin, argument);
}

unsigned alarm(unsigned seconds) noexcept {
    end_on_clock("alarm", __builtin_frame_address(0));
    static auto* const next = next_of<unsigned(unsigned)>("alarm");
    return next(seconds);
}
unsigned ualarm(unsigned first, unsigned interval) noexcept {
    end_on_clock("ualarm", __builtin_frame_address(0));
    static auto* const next = next_of<unsigned(unsigned, unsigned)>("ualarm");
    return next(first, interval);
}
int setitimer(__itimer_which_t which, const struct itimerval* value,
              struct itimerval* old) noexcept {
    end_on_clock("setitimer", __builtin_frame_address(0));
    static auto* const next =
        next_of<int(__itimer_which_t, const struct itimerval*, struct itimerval*)>("setitimer");
    return next(which, value, old);
}

long syscall(long number, ...) noexcept {
    std::array<long, 6> values{};
    va_list rest;
    va_start(rest, number);
    for (long& value : values) value = va_arg(rest, long);
    va_end(rest);
    end_on_system_call(number, values[0], __builtin_frame_address(0));
    // The function has no static variable, because waiting for its initialisation is a system call,
    // too.
    auto* next = next_system_call.load(std::memory_order_relaxed);
    if (next == nullptr) {
        next = next_of<long(long, ...)>("syscall");
        next_system_call = next;
    }
    return next(number, values[0], values[1], values[2], values[3], values[4], values[5]);
}

}  // extern "C"
