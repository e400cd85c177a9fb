// SPDX-License-Identifier: Apache-2.0
#include "firmware/leave/crash_thread.h"

#include <stdio_ext.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

#include "firmware/guard/broken_heap.h"
#include "firmware/launch/call_stack.h"
#include "firmware/launch/interrupted_state.h"
#include "firmware/launch/kernel_invoker.h"
#include "firmware/launch/library_jump.h"
#include "firmware/leave/crash_fault.h"
#include "firmware/leave/launch_watch.h"
#include "firmware/leave/stack_room.h"
#include "isa/base/output_file.h"
#include "isa/base/stop_request.h"

namespace okksim::firmware {
namespace {

constexpr std::string_view kNothingToSay =
    "okksim: the simulator has crashed. Most likely a kernel has written out of bounds: build it "
    "with -fsanitize=address\n";
constexpr int kGuestFailed = 3;      ///< exit code, the same as that of the program's commands
constexpr int kEndedBySignal = 128;  ///< exit code, plus the signal's number
/// The time limit of one write in seconds, and the number of writes that may reach the limit.
constexpr time_t kTrySeconds = 5;
constexpr int kMostTries = 6;

std::atomic<CrashThread*> the_writer = nullptr;
std::atomic<bool> a_kernel_has_run = false;
std::atomic<bool> files_are_forgotten = false;
/// Set for good by a CrashThread that owns the program.
std::atomic<bool> kernels_own_program = false;
constinit thread_local bool is_ending =
    false;  ///< set before the end, so that a second crash is recognised
constinit thread_local bool is_looking = false;  ///< set during the look at the kernel's position
constinit thread_local bool touches_hosts = false;  ///< CrashThread::HostMemory
/// The writer continues here if a write crashes, too.
sigjmp_buf next_try;

void say(std::string_view text) {
    [[maybe_unused]] const auto written = write(STDERR_FILENO, text.data(), text.size());
}

/// Deletes unfinished files and ends the program. If the list of files is broken, this function is
/// entered again and skips the list.
[[noreturn]] void end_now(int code = kGuestFailed) {
    if (!files_are_forgotten.exchange(true)) OutputFile::forget_all();
    while (true) syscall(SYS_exit_group, code);
}

/// Bounds the time until the program ends, after everything is written. A kernel may have broken a
/// lock of the heap, which would keep the program from ending.
void bound_end() {
    constexpr unsigned kEndSeconds = 30;
    std::signal(SIGALRM, [](int) {
        say(kNothingToSay);
        end_now();
    });
    alarm(kEndSeconds);
}

/// Returns the time `seconds` from now.
timespec from_now(time_t seconds) {
    timespec until{};
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += seconds;
    return until;
}

/// Returns whether the interrupted code runs on the kernel's stack. The machine has other stacks.
bool is_on_kernel_stack(const FaultDelivery& delivery, const ucontext_t& state) {
    const auto here = reinterpret_cast<std::uintptr_t>(stack_pointer_of(state));
    const auto frame = reinterpret_cast<std::uintptr_t>(delivery.function_frame);
    return here <= frame &&
           here >= delivery.lowest_frame - std::min(delivery.lowest_frame, kSimulatorStackBytes);
}

}  // namespace

CrashThread::CrashThread(std::vector<Write> writes, LastReport last_report, bool owns_program,
                         Signals signals)
    : writes_(std::move(writes)),
      last_report_(last_report),
      owns_program_(owns_program),
      signals_(signals),
      process_(getpid()) {
    CrashThread* nobody = nullptr;
    if (!the_writer.compare_exchange_strong(nobody, this)) return;
    abort_message();  // The lookup happens now, while it is safe.
    sem_init(&wanted_, 0, 0);
    sem_init(&done_, 0, 0);
    // The new thread blocks all other signals; the existing threads handle them.
    sigset_t others, previous;
    sigfillset(&others);
    for (const int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) sigdelset(&others, own);
    pthread_sigmask(SIG_SETMASK, &others, &previous);
    const int problem = pthread_create(&thread_, nullptr, &run, this);
    pthread_sigmask(SIG_SETMASK, &previous, nullptr);
    if (problem != 0) {
        the_writer = nullptr;
        return;
    }
    while (sem_wait(&done_) != 0) {
    }
    signals_.hold();
}

CrashThread::~CrashThread() {
    if (the_writer != this) return;
    the_writer = nullptr;
    if (owns_program_) {  // the program still has to end with a heap that kernels may have broken
        kernels_own_program = true;
        if (a_kernel_has_run && getpid() == process_) bound_end();
    } else {
        signals_.release();
    }
    if (getpid() != process_) return;
    ends_ = true;
    sem_post(&wanted_);
    pthread_join(thread_, nullptr);
}

CrashThread::HostMemory::HostMemory() { touches_hosts = true; }
CrashThread::HostMemory::~HostMemory() { touches_hosts = false; }

bool CrashThread::owns_program() {
    const CrashThread* const writer = the_writer.load();
    return writer == nullptr ? kernels_own_program.load() : writer->owns_program_;
}
bool CrashThread::is_there() { return the_writer.load() != nullptr; }
void CrashThread::kernel_runs() { a_kernel_has_run.store(true, std::memory_order_relaxed); }

void* CrashThread::run(void* self) {
    CrashThread& writer = *static_cast<CrashThread*>(self);
    // The C library assigns a part of the heap to this thread.
    std::free(std::malloc(1));
    sem_post(&writer.done_);
    timespec until = from_now(LaunchWatch::kWakeSeconds);
    while (sem_timedwait(&writer.wanted_, &until) != 0) {
        if (errno != ETIMEDOUT) continue;
        LaunchWatch::wake();
        until = from_now(LaunchWatch::kWakeSeconds);
    }
    if (writer.ends_) return nullptr;
    // A stopped thread may hold the locks of these streams.
    for (FILE* const stream : {stdout, stderr}) __fsetlocking(stream, FSETLOCKING_BYCALLER);
    writer.write_all();
    sem_post(&writer.done_);
    while (true) pause();
}

/// Carries `action` out; returns false if its data is broken.
template <typename Action>
bool CrashThread::tries(const Action& action) {
    // A jump skips destructors, but this thread frees nothing anyway.
    if (sigsetjmp(next_try, 1) != 0) return false;
    try {
        action();
        return true;
    } catch (...) {
        return false;
    }
}

namespace {

std::string text_of(const FaultRecord& fault) {
    std::string text =
        std::string("fault (") + fault_code_name(fault.code) + "): " + fault.message() + "\n";
    for (const std::string& frame : fault.call_stack) text += "    at " + frame + "\n";
    return text;
}

}  // namespace

void CrashThread::write_all() {
    FaultRecord record;
    has_failed_ = !tries([&] { record = fault(); });
    has_failed_ = !tries([&] { record.call_stack = places(); }) || has_failed_;
    bool is_told = true;
    for (std::size_t i = 0; i < writes_.size(); ++i) {
        if (tries([&] { writes_[i](record, is_hosts_); })) continue;
        has_failed_ = true;
        if (i == 0) is_told = false;
    }
    tries([] { OutputFile::forget_all(); });
    if (is_told) return;
    tries([&] { say(text_of(record)); });
    tries([&] { last_report_(record); });
}

std::vector<std::string> CrashThread::places() const {
    // Frames of the simulator's own check are not useful to the user.
    return describe_call_stack(without_library_frames(without_own_frames(report_.call_stack)));
}

FaultRecord CrashThread::fault() const {
    if (is_asked_) return StopRequest::fault();
    if (is_hosts_) return hosts_fault(report_);
    if (still_seconds_ > 0) return standstill_fault(standstill_, still_seconds_, function_);
    return crash_fault(report_, exception_, in_kernel_);
}

void CrashThread::try_next() {
    // Thread-local variables may be lost, because the heap holds their addresses.
    const CrashThread* const writer = the_writer.load();
    if (writer != nullptr && pthread_equal(writer->thread_, pthread_self()) != 0) jump_to(next_try);
}

void CrashThread::end_program(int number, const siginfo_t& info, const ucontext_t& state) {
    CrashThread* const writer = the_writer.load();
    if (std::exchange(is_ending, true)) {
        // The look at the kernel's position has crashed, so the report has no position.
        if (writer != nullptr && is_looking) {
            is_looking = false;
            writer->have_all_written();
        } else {
            say(kNothingToSay);
        }
        end_now();
    }
    FaultDelivery* const delivery = active_delivery;
    if (writer == nullptr || getpid() != writer->process_ || !a_kernel_has_run) {
        if (delivery == nullptr && !(kernels_own_program && a_kernel_has_run)) return;
        say(kNothingToSay);
        end_now();
    }
    const bool is_ours = writer->owns_program_ || delivery != nullptr ||
                         is_heap_damage(number, state) ||
                         (is_own_code(program_counter_of(state)) && !touches_hosts);
    SignalReport& report = writer->report_;
    report.number = number;
    report.code = info.si_code;
    report.address = info.si_addr;
    writer->is_hosts_ = !is_ours;
    is_looking = true;
    writer->look_at_kernel(delivery, state);
    is_looking = false;
    writer->have_all_written();
    if (is_ours) end_now();
}

void CrashThread::end_standstill(Standstill kind, double seconds, const ucontext_t& state) {
    CrashThread* const writer = the_writer.load();
    if (writer == nullptr || getpid() != writer->process_ || std::exchange(is_ending, true)) {
        say(kNothingToSay);
        end_now();
    }
    writer->standstill_ = kind;
    writer->still_seconds_ = seconds;
    writer->function_ = active_delivery->function;
    writer->look_at_kernel(active_delivery, state);
    writer->have_all_written();
    const int asked = StopRequest::signal();
    end_now(asked == 0 ? kGuestFailed : kEndedBySignal + asked);
}

void CrashThread::end_asked(int signal) {
    CrashThread* const writer = the_writer.load();
    if (writer == nullptr || getpid() != writer->process_ || std::exchange(is_ending, true)) return;
    StopRequest::ask(signal);
    writer->is_asked_ = writer->is_hosts_ = true;
    writer->have_all_written();
}

void CrashThread::end_exception(const char* what) {
    CrashThread* const writer = the_writer.load();
    if (writer == nullptr || getpid() != writer->process_ || !a_kernel_has_run) return;
    // The text drops the words of SystemC and of the check: the fault says the same.
    std::string text = what;
    text.resize(std::min({text.size(), text.find("; this is a bug"), text.find('\n')}));
    constexpr std::string_view kUncaught = "uncaught exception: ";
    const std::size_t begin = text.find(kUncaught);
    if (begin != std::string::npos) text.erase(0, begin + kUncaught.size());
    writer->exception_ = text.c_str();
    const FaultDelivery* const delivery = active_delivery;
    if (delivery != nullptr && delivery->call() != nullptr) writer->look_at_call(*delivery);
    writer->have_all_written();
    end_now();
}

/// Notes the kernel's position.
void CrashThread::look_at_kernel(const FaultDelivery* delivery, const ucontext_t& state) {
    in_kernel_ = delivery != nullptr && delivery->in_runtime != 0;
    RawCallStack& stack = report_.call_stack;
    if (!in_kernel_) {
        capture_interrupted(stack, state);
    } else if (is_on_kernel_stack(*delivery, state)) {
        stack = capture_call_stack(delivery->function_frame, kernel_invoker());
    } else if (delivery->call() != nullptr) {
        look_at_call(*delivery);
    }
}

void CrashThread::look_at_call(const FaultDelivery& delivery) {
    report_.call_stack.addresses[0] = static_cast<const char*>(delivery.call()) - 1;
    report_.call_stack.count = 1;
}

void CrashThread::have_all_written() {
    broken_heap::keep_all();
    sem_post(&wanted_);
    int waited = -1;
    for (int i = 0; i < kMostTries && waited != 0; ++i) {
        // A write that reaches its limit waits for a lock that is never released. The signal makes
        // the writer try the next one.
        if (i > 0) pthread_kill(thread_, SIGSEGV);
        const timespec until = from_now(kTrySeconds);
        do {
            waited = sem_timedwait(&done_, &until);
        } while (waited != 0 && errno == EINTR);
    }
    if ((waited != 0 || has_failed_) && is_asked_) {
        say("okksim: some files could not be completed\n");
    } else if (waited != 0 || has_failed_) {
        say("okksim: a kernel has overwritten the simulator's memory, so some files are "
            "incomplete: build the kernel with -fsanitize=address\n");
    }
}

}  // namespace okksim::firmware
