// SPDX-License-Identifier: Apache-2.0
#include "firmware/standstill.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <ctime>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "firmware/kernel_exit.h"
#include "firmware/kernel_runner.h"
#include "isa/stop_request.h"

namespace okksim::firmware {
namespace {

std::mutex launch_mutex;
LaunchWatch* the_launch = nullptr;

/// The first line of a file about a thread of this process; empty: there is none.
std::string line_about(int thread, const char* what) {
    std::array<char, 512> line{};
    std::snprintf(line.data(), line.size(), "/proc/self/task/%d/%s", thread, what);
    std::FILE* const file = std::fopen(line.data(), "re");
    if (file == nullptr) return {};
    const bool is_read = std::fgets(line.data(), line.size(), file) != nullptr;
    std::fclose(file);
    return is_read ? line.data() : "";
}

Waiting waiting_of(int thread) {
    Waiting waiting;
    const std::string state = line_about(thread, "stat");
    // Names of threads may hold anything.
    const std::size_t name_end = state.rfind(") ");
    waiting.is_asleep = name_end != std::string::npos && state.compare(name_end + 2, 1, "S") == 0;
    unsigned long first = 0;
    const std::string call = line_about(thread, "syscall");  // or "running"
    if (std::sscanf(call.c_str(), "%ld %lx", &waiting.call, &first) == 2) {
        waiting.file = static_cast<int>(first);
    }
    return waiting;
}

/// Waits for whoever reads what it writes, a pager perhaps, or for the user at a terminal.
bool waits_for_people(const Waiting& waiting) {
    switch (waiting.call) {
        case SYS_write:
        case SYS_writev:
        case SYS_pwrite64: return true;
        case SYS_read:
        case SYS_readv: return isatty(waiting.file) != 0;
        default: return false;
    }
}

double cpu_seconds_of(int thread) {
    // The system's clock of a thread by its number (pthread_getcpuclockid() takes live ones only).
    constexpr clockid_t kOfThread = 6;
    timespec used{};
    if (clock_gettime(static_cast<clockid_t>((~static_cast<unsigned>(thread) << 3) | kOfThread),
                      &used) != 0) {
        return 0;
    }
    return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) * 1e-9;
}

FaultRecord time_fault(std::string value, std::string rule, std::string advice) {
    FaultRecord record;
    record.code = FaultCode::kBudget;
    record.unit = "firmware";
    record.value = std::move(value);
    record.rule = std::move(rule);
    record.advice = std::move(advice);
    return record;
}

}  // namespace

FaultRecord standstill_fault(Standstill kind, double seconds, const char* function) {
    if (StopRequest::signal() != 0) return StopRequest::fault();
    const std::string time = std::to_string(seconds) + " s";
    FaultRecord record;
    switch (kind) {
        case Standstill::kLoops: return idle_time_fault(seconds);
        case Standstill::kWaits:
            return time_fault(
                "no command for " + time + ", in which the kernel slept or waited",
                "a kernel must issue a command within its call time budget",
                "look for a lock that is never released, or for a sleep: a device has no other "
                "threads, no signals and no clock. If the wait can end, raise the call time budget "
                "(okksim kernel: --call-seconds; host programs: OKKSIM_CALL_SECONDS)");
        case Standstill::kCall:
            record = time_fault(
                "no return for " + time + ", in which no command was completed",
                "a call must complete a command within its call time budget",
                "most likely the kernel has overwritten the heap or the simulator's data: build it "
                "with -fsanitize=address, or look for an out-of-bounds array access. If its "
                "commands are that slow, raise the call time budget (okksim kernel: "
                "--call-seconds; host programs: OKKSIM_CALL_SECONDS)");
    }
    record.function = function == nullptr ? "" : function;
    return record;
}

LaunchWatch::LaunchWatch(Context& context)
    : context_(context),
      thread_(static_cast<int>(syscall(SYS_gettid))),
      process_(getpid()),
      cpu_seconds_(cpu_seconds_of(thread_)) {
    const std::lock_guard lock(launch_mutex);
    outer_ = std::exchange(the_launch, this);
}

LaunchWatch::~LaunchWatch() {
    // In a child of the kernel's, whoever held the lock is no more.
    if (getpid() != process_) return;
    const std::lock_guard lock(launch_mutex);
    if (the_launch == this) the_launch = outer_;
}

LaunchWatch::Wake LaunchWatch::look(double seconds) {
    const std::lock_guard lock(launch_mutex);
    if (the_launch == nullptr) return {};
    LaunchWatch& launch = *the_launch;
    if (StopRequest::signal() != 0) return {launch.thread_};
    const Waiting waiting = waiting_of(launch.thread_);
    if (in_firmware(&launch.context_.delivery())) return launch.look_at_own_code(waiting, seconds);
    return waiting.call == SYS_futex ? Wake{launch.thread_} : Wake{};
}

LaunchWatch::Wake LaunchWatch::look_at_own_code(const Waiting& waiting, double seconds) {
    const double cpu_seconds = cpu_seconds_of(thread_);
    const double used = cpu_seconds - std::exchange(cpu_seconds_, cpu_seconds);
    if (context_.issued() != std::exchange(commands_, context_.issued())) waited_seconds_ = 0;
    if (waiting.is_asleep && used < seconds / 2 && !waits_for_people(waiting)) {
        waited_seconds_ += seconds;
    }
    // A signal earlier would end sleep() and the like of a kernel that goes on.
    const std::optional<double>& most = context_.options().call_seconds;
    if (!most || waited_seconds_ < *most) return {};
    return {thread_, waited_seconds_, commands_};
}

}  // namespace okksim::firmware
