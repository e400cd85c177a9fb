// SPDX-License-Identifier: Apache-2.0
#include "firmware/leave/signal_guard.h"

#include <array>
#include <cstddef>
#include <mutex>

#include "firmware/launch/library_jump.h"
#include "firmware/launch/stack_reading.h"
#include "firmware/leave/crash_fault.h"
#include "firmware/leave/crash_thread.h"
#include "firmware/leave/kernel_exit.h"
#include "firmware/watch/access_watch.h"

namespace okksim::firmware {
namespace {

constexpr std::array kFaultSignals{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP};
constexpr std::size_t kHandlerStackBytes = std::size_t{64} << 10;

/// Handlers for the fault signals, installed while any guard of the process lives.
class Handlers {
 public:
    void acquire() {
        const std::scoped_lock lock(mutex_);
        ++users_;
        struct sigaction action {};
        action.sa_sigaction = on_fault;
        // Reading a destroyed stack may fault again.
        action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
        for (std::size_t i = 0; i < kFaultSignals.size(); ++i) {
            // The program may have set its own handlers since the last guard.
            struct sigaction found {};
            sigaction(kFaultSignals[i], &action, &found);
            const bool is_ours =
                (found.sa_flags & SA_SIGINFO) != 0 && found.sa_sigaction == on_fault;
            if (!is_ours) previous_[i] = found;
        }
    }
    void release() {
        const std::scoped_lock lock(mutex_);
        if (--users_ > 0) return;
        for (std::size_t i = 0; i < kFaultSignals.size(); ++i) {
            sigaction(kFaultSignals[i], &previous_[i], nullptr);
        }
    }
    static Handlers& instance() {
        static Handlers handlers;
        return handlers;
    }

 private:
    static void on_fault(int number, siginfo_t* info, void* state) {
        CrashThread::try_next();
        auto& context = *static_cast<ucontext_t*>(state);
        if (AccessWatch::handles(number, *info, context, in_firmware(active_delivery))) return;
        if (stack_reading != nullptr) jump_to(*stack_reading);
        if (in_firmware(active_delivery)) {
            MemoryWatch* const watch = active_delivery->watch;
            if (watch != nullptr && watch->handles(number, *info, context)) return;
            if (!is_heap_damage(number, context)) {
                leave_kernel(*active_delivery, number, *info, context);
            }
        }
        instance().forward(number, info, state);
    }

    /// Passes a signal on that is not the firmware's, as if okksim had no handler.
    void forward(int number, siginfo_t* info, void* state) {
        for (std::size_t i = 0; i < kFaultSignals.size(); ++i) {
            if (kFaultSignals[i] != number) continue;
            const struct sigaction& previous = previous_[i];
            if ((previous.sa_flags & SA_SIGINFO) != 0) {
                previous.sa_sigaction(number, info, state);
            } else if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) {
                previous.sa_handler(number);
            } else {
                end_program(number, info, state, previous);
                continue;
            }
            // A handler of the host program has dealt with the signal. Handlers of okksim's own
            // program leave the rest to this function.
            if (CrashThread::owns_program()) end_program(number, info, state, {});
        }
    }

    static void end_program(int number, siginfo_t* info, void* state,
                            const struct sigaction& previous) {
        CrashThread::end_program(number, *info, *static_cast<ucontext_t*>(state));
        // The faulting instruction runs again and meets the default action.
        sigaction(number, &previous, nullptr);
    }

    std::mutex mutex_;
    int users_ = 0;
    std::array<struct sigaction, kFaultSignals.size()> previous_{};
};

}  // namespace

void hold_fault_signals() { Handlers::instance().acquire(); }
void release_fault_signals() { Handlers::instance().release(); }

SignalGuard::SignalGuard(FaultDelivery& delivery) : previous_delivery_(active_delivery) {
    sigaltstack(nullptr, &previous_stack_);
    if ((previous_stack_.ss_flags & SS_DISABLE) != 0) {
        handler_stack_ = std::make_unique<std::byte[]>(kHandlerStackBytes);
        stack_t stack{};
        stack.ss_sp = handler_stack_.get();
        stack.ss_size = kHandlerStackBytes;
        sigaltstack(&stack, nullptr);
    }
    active_delivery = &delivery;
    CrashThread::kernel_runs();
    Handlers::instance().acquire();
}

SignalGuard::~SignalGuard() {
    Handlers::instance().release();
    active_delivery = previous_delivery_;
    if (handler_stack_) sigaltstack(&previous_stack_, nullptr);
}

}  // namespace okksim::firmware
