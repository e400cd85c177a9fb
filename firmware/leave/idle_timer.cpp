// SPDX-License-Identifier: Apache-2.0
#include "firmware/leave/idle_timer.h"

#include <link.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <utility>

#include "firmware/calls/repeated_commands.h"
#include "firmware/launch/interrupted_state.h"
#include "firmware/launch/kernel_faults.h"
#include "firmware/leave/crash_thread.h"
#include "firmware/leave/kernel_exit.h"
#include "firmware/leave/standstill_fault.h"
#include "isa/base/stop_request.h"

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

namespace okksim::firmware {
namespace {

/// The least number of timer ticks in a time budget.
constexpr int kLeastTicks = 8;
/// The longest period of the timer in CPU seconds, which bounds the delay of a user's wish to end.
constexpr double kLongestPeriod = 0.05;
constexpr double kShortestPeriod = 1e-3;
/// A command budget up to which the time of repeated commands has no limit.
constexpr std::uint64_t kSmallBudget = 1'000'000;
/// Stands for no limit of ticks.
constexpr int kEver = std::numeric_limits<int>::max();

/// Seconds until the program leaves an endless call after the user has asked for an end.
constexpr double kEndSeconds = 2;

thread_local IdleTimer::Watch* active_watch = nullptr;

/// Ends the program if the launch has made no progress for too long.
void check_standstill(IdleTimer::Watch& watch, const FaultDelivery& delivery, double seconds,
                      const ucontext_t& state) {
    Context& context = *watch.context;
    const std::optional<double>& most = context.options().call_seconds;
    if (!most) return;
    const std::uint64_t progress = context.port().progress();
    const bool must_end = StopRequest::signal() != 0;
    if (context.counts().api_calls != watch.calls_seen || progress != watch.progress_seen ||
        (in_firmware(&delivery) && !must_end)) {
        watch.still_seconds = 0;
    }
    watch.progress_seen = progress;
    watch.still_seconds += seconds;
    if (watch.still_seconds < (must_end ? std::min(kEndSeconds, *most) : *most)) return;
    CrashThread::end_standstill(Standstill::kCall, watch.still_seconds, state);
}

/// Ends the program if the kernel has waited for too long and still waits.
void check_waiting(const Context& context, const FaultDelivery& delivery, const ucontext_t& state) {
    const double seconds = LaunchWatch::take_waited_seconds();
    if (seconds == 0 || !in_firmware(&delivery) ||
        context.issued() != LaunchWatch::waited_commands())
        return;
    CrashThread::end_standstill(Standstill::kWaits, seconds, state);
}

/// Ends the program if the kernel has computed for twice its time where no jump can leave it.
void check_idle_elsewhere(const IdleTimer::Watch& watch, const ucontext_t& state) {
    if (watch.idle_ticks / 2 < watch.most_idle_ticks || !CrashThread::is_there()) return;
    CrashThread::end_standstill(Standstill::kLoops, watch.idle_ticks * watch.tick_seconds, state);
}

/// Asks for the end of a kernel that has only repeated earlier commands for too long. A new command
/// may take any time.
void check_repeats(IdleTimer::Watch& watch, FaultDelivery& delivery, bool has_issued) {
    const std::uint64_t commands = new_commands::count();
    if (commands != std::exchange(watch.new_commands_seen, commands)) {
        watch.repeat_ticks = 0;
    } else if (has_issued || (watch.repeat_ticks > 0 && !in_firmware(&delivery))) {
        if (++watch.repeat_ticks >= watch.most_repeat_ticks) delivery.time_is_up = kOnlyRepeats;
    }
}

void on_idle_tick(int number, siginfo_t* info, void* raw_state) {
    IdleTimer::Watch* watch = active_watch;
    FaultDelivery* delivery = active_delivery;
    if (watch == nullptr || delivery == nullptr) return;
    const CallCounts& counts = watch->context->counts();
    const auto& state = *static_cast<ucontext_t*>(raw_state);
    const bool is_woken = info->si_code == SI_TKILL;
    check_standstill(*watch, *delivery, is_woken ? LaunchWatch::kWakeSeconds : watch->tick_seconds,
                     state);
    const bool new_call = counts.api_calls != std::exchange(watch->calls_seen, counts.api_calls);
    if (is_woken) return check_waiting(*watch->context, *delivery, state);
    const std::uint64_t commands = counts.commands.total();
    const bool has_issued = commands != std::exchange(watch->commands_seen, commands);
    check_repeats(*watch, *delivery, has_issued);
    if (has_issued) {
        watch->idle_ticks = 0;
        return;
    }
    const bool must_end = StopRequest::signal() != 0;
    // Kernels of okksim are not left by a jump, either.
    if (!in_firmware(delivery) || delivery->mode == DeliveryMode::kThrow) {
        if (new_call) ++watch->idle_ticks;
        if (must_end || watch->idle_ticks >= watch->most_idle_ticks) delivery->time_is_up = 1;
        return;
    }
    if (++watch->idle_ticks < watch->most_idle_ticks && !must_end) return;
    const auto counter = reinterpret_cast<std::uintptr_t>(program_counter_of(state));
    if (counter >= watch->code_begin && counter < watch->code_end) {
        leave_kernel(*delivery, number, *info, state);
    }
    check_idle_elsewhere(*watch, state);
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

}  // namespace

IdleTimer::IdleTimer(Context& context, const void* entry)
    : previous_watch_(active_watch), launch_(context) {
    const std::optional<double>& seconds = context.options().idle_seconds;
    watch_.context = &context;
    watch_.code_begin = reinterpret_cast<std::uintptr_t>(entry);
    watch_.code_end = watch_.code_begin + 1;
    dl_iterate_phdr(widen_to_segment, &watch_);

    struct sigaction action {};
    action.sa_sigaction = on_idle_tick;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
    sigaction(LaunchWatch::wake_signal(), &action, nullptr);

    sigevent event{};
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = LaunchWatch::wake_signal();
    event.sigev_notify_thread_id = static_cast<pid_t>(syscall(SYS_gettid));
    timer_t timer{};
    active_watch = &watch_;
    if (timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer) != 0) return;
    timer_ = timer;
    const double period =
        std::clamp(seconds.value_or(1) / kLeastTicks, kShortestPeriod, kLongestPeriod);
    watch_.tick_seconds = period;
    const double ticks = seconds ? std::ceil(*seconds / period) : kEver;
    watch_.most_idle_ticks = static_cast<int>(std::min<double>(ticks, kEver));
    // A small command budget ends the loop itself.
    const bool has_limit =
        seconds && context.options().command_budget.value_or(UINT64_MAX) > kSmallBudget;
    const double repeats = has_limit ? std::ceil(repeat_seconds(*seconds) / period) : kEver;
    watch_.most_repeat_ticks = static_cast<int>(std::min<double>(repeats, kEver));
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

}  // namespace okksim::firmware
