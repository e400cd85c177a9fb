// SPDX-License-Identifier: Apache-2.0
#include "firmware/signal_guard.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <mutex>
#include <string_view>

#include "firmware/kernel_exit.h"
#include "firmware/pointer_watch.h"

namespace okksim::firmware {
namespace {

constexpr std::array kFaultSignals{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP};
constexpr int kGuestFailed = 3;  ///< exit code, as of the program's commands
constexpr std::size_t kHandlerStackBytes = std::size_t{64} << 10;

/// Handlers for the fault signals, installed while any guard of the process lives.
class Handlers {
 public:
    void acquire() {
        const std::scoped_lock lock(mutex_);
        if (users_++ > 0) return;
        struct sigaction action {};
        action.sa_sigaction = on_fault;
        // Reading a destroyed stack may fault again.
        action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
        for (std::size_t i = 0; i < kFaultSignals.size(); ++i) {
            sigaction(kFaultSignals[i], &action, &previous_[i]);
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
        if (stack_reading != nullptr) siglongjmp(*stack_reading, 1);
        if (in_firmware(active_delivery)) {
            PointerWatch* const watch = active_delivery->watch;
            auto& context = *static_cast<ucontext_t*>(state);
            if (watch != nullptr && watch->handles(number, *info, context)) return;
            leave_kernel(*active_delivery, number, *info, context);
        }
        instance().forward(number, info, state);
    }

    /// A fault of the simulator itself while a kernel runs. Nothing can be trusted any more.
    [[noreturn]] static void end_program(int number) {
        constexpr std::string_view kText =
            "okksim: the simulator has crashed while a kernel ran. Most likely the kernel has "
            "overwritten memory that is not its own: build it with -fsanitize=address\n";
        [[maybe_unused]] const auto written = write(STDERR_FILENO, kText.data(), kText.size());
        const char* const name = sigabbrev_np(number);
        if (name != nullptr) {
            [[maybe_unused]] const auto also = write(STDERR_FILENO, name, std::strlen(name));
        }
        while (true) syscall(SYS_exit_group, kGuestFailed);
    }

    /// A signal that is not the firmware's: what would have happened without us.
    void forward(int number, siginfo_t* info, void* state) {
        for (std::size_t i = 0; i < kFaultSignals.size(); ++i) {
            if (kFaultSignals[i] != number) continue;
            const struct sigaction& previous = previous_[i];
            if ((previous.sa_flags & SA_SIGINFO) != 0) {
                previous.sa_sigaction(number, info, state);
            } else if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) {
                previous.sa_handler(number);
            } else if (active_delivery != nullptr) {
                end_program(number);
            } else {
                // The faulting instruction runs again and meets the default action.
                sigaction(number, &previous, nullptr);
            }
        }
    }

    std::mutex mutex_;
    int users_ = 0;
    std::array<struct sigaction, kFaultSignals.size()> previous_{};
};

}  // namespace

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
    Handlers::instance().acquire();
}

SignalGuard::~SignalGuard() {
    Handlers::instance().release();
    active_delivery = previous_delivery_;
    if (handler_stack_) sigaltstack(&previous_stack_, nullptr);
}

}  // namespace okksim::firmware
