// SPDX-License-Identifier: Apache-2.0
#include "firmware/signal_guard.h"

#include <link.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <array>
#include <mutex>

#include "firmware/kernel_runner.h"

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

namespace okksim::firmware {
namespace {

constexpr std::array kFaultSignals{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
constexpr std::size_t kHandlerStackBytes = std::size_t{64} << 10;
/// Timer ticks without a command that make up the time budget.
constexpr int kTicksPerBudget = 8;

thread_local FaultDelivery* active_delivery = nullptr;
thread_local IdleTimer::Watch* active_watch = nullptr;

int idle_signal() { return SIGRTMIN + 5; }

const void* stack_pointer_of(const ucontext_t& state) {
#if defined(__x86_64__)
    return reinterpret_cast<const void*>(state.uc_mcontext.gregs[REG_RSP]);
#elif defined(__aarch64__)
    return reinterpret_cast<const void*>(state.uc_mcontext.sp);
#else
    return nullptr;
#endif
}

const void* program_counter_of(const ucontext_t& state) {
#if defined(__x86_64__)
    return reinterpret_cast<const void*>(state.uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
    return reinterpret_cast<const void*>(state.uc_mcontext.pc);
#else
    return nullptr;
#endif
}

bool in_firmware(const FaultDelivery* delivery) {
    return delivery != nullptr && delivery->runner_active != 0 && delivery->in_runtime == 0;
}

[[noreturn]] void leave_kernel(FaultDelivery& delivery, int number, const siginfo_t& info,
                               const ucontext_t& state) {
    SignalReport& report = delivery.signal;
    report.number = number;
    report.code = info.si_code;
    report.address = info.si_addr;
    report.stack_pointer = stack_pointer_of(state);
    report.call_stack = capture_interrupted_call_stack(report.stack_pointer,
                                                       program_counter_of(state), kernel_invoker());
    siglongjmp(delivery.jump_target, 1);
}

/// Handlers for the fault signals, installed while any guard of the process lives.
class Handlers {
 public:
    void acquire() {
        const std::scoped_lock lock(mutex_);
        if (users_++ > 0) return;
        struct sigaction action {};
        action.sa_sigaction = on_fault;
        action.sa_flags = SA_SIGINFO | SA_ONSTACK;
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
        if (in_firmware(active_delivery)) {
            leave_kernel(*active_delivery, number, *info, *static_cast<ucontext_t*>(state));
        }
        instance().forward(number, info, state);
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

void on_idle_tick(int number, siginfo_t* info, void* raw_state) {
    IdleTimer::Watch* watch = active_watch;
    FaultDelivery* delivery = active_delivery;
    if (watch == nullptr || delivery == nullptr) return;
    if (watch->counts->commands() != watch->commands_seen) {
        watch->commands_seen = watch->counts->commands();
        watch->idle_ticks = 0;
        return;
    }
    const auto& state = *static_cast<ucontext_t*>(raw_state);
    if (!in_firmware(delivery)) {
        if (watch->idle_ticks >= kTicksPerBudget) delivery->time_is_up = 1;
        return;
    }
    if (++watch->idle_ticks < kTicksPerBudget) return;
    const auto counter = reinterpret_cast<std::uintptr_t>(program_counter_of(state));
    if (counter >= watch->code_begin && counter < watch->code_end) {
        leave_kernel(*delivery, number, *info, state);
    }
}

/// Finds the loaded segment that holds watch.code_begin and widens the watch to it.
int widen_to_segment(dl_phdr_info* object, std::size_t, void* data) {
    auto& watch = *static_cast<IdleTimer::Watch*>(data);
    for (int i = 0; i < object->dlpi_phnum; ++i) {
        const auto& header = object->dlpi_phdr[i];
        const std::uintptr_t begin = object->dlpi_addr + header.p_vaddr;
        if (header.p_type != PT_LOAD || watch.code_begin < begin ||
            watch.code_begin >= begin + header.p_memsz) {
            continue;
        }
        watch.code_begin = begin;
        watch.code_end = begin + header.p_memsz;
        return 1;
    }
    return 0;
}

FaultRecord firmware_fault(FaultCode code, std::string value, std::string rule,
                           std::string advice) {
    FaultRecord record;
    record.code = code;
    record.value = std::move(value);
    record.rule = std::move(rule);
    record.advice = std::move(advice);
    record.unit = "firmware";
    return record;
}

FaultRecord memory_fault(const FaultDelivery& delivery) {
    const SignalReport& report = delivery.signal;
    const auto address = reinterpret_cast<std::uintptr_t>(report.address);
    const auto stack = reinterpret_cast<std::uintptr_t>(report.stack_pointer);
    constexpr std::uintptr_t kPage = 4096;
    char text[64];
    std::snprintf(text, sizeof text, "address %p", report.address);
    if (report.code == SI_KERNEL) {
        return firmware_fault(FaultCode::kHostSignal, "an address that cannot exist",
                              "firmware may access only memory that it owns",
                              "look for an uninitialised or overwritten pointer");
    }
    const auto arguments_end = reinterpret_cast<std::uintptr_t>(delivery.arguments_end);
    if (arguments_end != 0 && address >= arguments_end && address < arguments_end + kPage) {
        return firmware_fault(
            FaultCode::kBadArgument,
            "byte " + std::to_string(delivery.arguments_size + (address - arguments_end)),
            "a kernel may read the " + std::to_string(delivery.arguments_size) +
                " bytes of arguments that the launch passed",
            "make the size that the host passes equal to the size of the kernel's struct");
    }
    if (address < kPage) {
        return firmware_fault(FaultCode::kHostSignal, std::string("NULL pointer, ") + text,
                              "a NULL pointer must not be dereferenced",
                              "check the pointer, or the launch arguments it was read from");
    }
    if (address < stack + kPage && address + 16 * kPage > stack) {
        return firmware_fault(FaultCode::kHostSignal, std::string("stack overflow, ") + text,
                              "firmware must stay inside its stack",
                              "look for endless recursion or large local arrays");
    }
    return firmware_fault(FaultCode::kHostSignal, text,
                          "firmware may access only memory that it owns",
                          "device addresses are not pointers: use okk_global_mem_addr(), "
                          "okk_local_mem_addr(), okk_l2_sram_addr() or okk_dtcm_addr()");
}

FaultRecord arithmetic_fault(const SignalReport& report) {
    const bool integer = report.code == FPE_INTDIV;
    return firmware_fault(FaultCode::kHostSignal,
                          integer ? "integer division by zero" : "arithmetic trap",
                          "firmware must not divide by zero or overflow a division",
                          "check the divisor before dividing");
}

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

IdleTimer::IdleTimer(Context& context, double seconds, const void* entry)
    : previous_watch_(active_watch) {
    watch_.counts = &context.counts();
    watch_.code_begin = reinterpret_cast<std::uintptr_t>(entry);
    watch_.code_end = watch_.code_begin + 1;
    dl_iterate_phdr(widen_to_segment, &watch_);

    struct sigaction action {};
    action.sa_sigaction = on_idle_tick;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
    sigaction(idle_signal(), &action, nullptr);

    sigevent event{};
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = idle_signal();
    event.sigev_notify_thread_id = static_cast<pid_t>(syscall(SYS_gettid));
    timer_t timer{};
    active_watch = &watch_;
    if (timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer) != 0) return;
    timer_ = timer;
    const double period = std::max(seconds / kTicksPerBudget, 1e-3);
    itimerspec schedule{};
    schedule.it_interval.tv_sec = static_cast<time_t>(period);
    schedule.it_interval.tv_nsec =
        static_cast<long>((period - static_cast<double>(schedule.it_interval.tv_sec)) * 1e9);
    schedule.it_value = schedule.it_interval;
    timer_settime(timer, 0, &schedule, nullptr);
}

IdleTimer::~IdleTimer() {
    if (timer_) timer_delete(*timer_);
    active_watch = previous_watch_;
}

FaultRecord signal_fault(const FaultDelivery& delivery, double idle_seconds) {
    const SignalReport& report = delivery.signal;
    FaultRecord record;
    switch (report.number) {
        case SIGFPE: record = arithmetic_fault(report); break;
        case SIGABRT:
            record = firmware_fault(FaultCode::kAssertion, "abort() was called",
                                    "a kernel must not abort",
                                    "a failed assert() prints its condition above; fix it or use "
                                    "OKKERNEL_ASSERT");
            break;
        case SIGILL:
            record = firmware_fault(FaultCode::kHostSignal, "illegal instruction",
                                    "firmware must return from every function it enters",
                                    "look for a function without a return or a wild call");
            break;
        case SIGSEGV:
        case SIGBUS: record = memory_fault(delivery); break;
        default: record = idle_time_fault(idle_seconds); break;
    }
    if (delivery.function != nullptr && record.code == FaultCode::kHostSignal) {
        record.function = delivery.function;
        record.argument = "a pointer argument";
    }
    return record;
}

}  // namespace okksim::firmware
