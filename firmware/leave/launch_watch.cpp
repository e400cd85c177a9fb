// SPDX-License-Identifier: Apache-2.0
#include "firmware/leave/launch_watch.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "firmware/launch/fault_delivery.h"
#include "isa/base/stop_request.h"

namespace okksim::firmware {
namespace {

std::mutex launch_mutex;
LaunchWatch* the_launch = nullptr;
/// The findings of the last LaunchWatch::wake() that sent a signal.
std::atomic<double> last_waited_seconds = 0;
std::atomic<std::uint64_t> last_waited_commands = 0;

/// Returns the first line of a file about a thread of this process; empty if there is none.
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
    // The name of a thread may contain any character.
    const std::size_t name_end = state.rfind(") ");
    waiting.is_asleep = name_end != std::string::npos && state.compare(name_end + 2, 1, "S") == 0;
    unsigned long first = 0;
    const std::string call = line_about(thread, "syscall");  // or "running"
    if (std::sscanf(call.c_str(), "%ld %lx", &waiting.call, &first) == 2) {
        waiting.file = static_cast<int>(first);
    }
    return waiting;
}

/// Returns whether a thread waits for the reader of its output, such as a pager, or for the user at
/// a terminal.
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
    // The system's clock of a thread by its number (pthread_getcpuclockid() accepts only living
    // threads).
    constexpr clockid_t kOfThread = 6;
    timespec used{};
    if (clock_gettime(static_cast<clockid_t>((~static_cast<unsigned>(thread) << 3) | kOfThread),
                      &used) != 0) {
        return 0;
    }
    return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) * 1e-9;
}

}  // namespace

LaunchWatch::LaunchWatch(LaunchState& state)
    : state_(state),
      thread_(static_cast<int>(syscall(SYS_gettid))),
      process_(getpid()),
      cpu_seconds_(cpu_seconds_of(thread_)) {
    const std::lock_guard lock(launch_mutex);
    outer_ = std::exchange(the_launch, this);
}

LaunchWatch::~LaunchWatch() {
    // In a child process of the kernel, the thread that held the lock does not exist.
    if (getpid() != process_) return;
    const std::lock_guard lock(launch_mutex);
    if (the_launch == this) the_launch = outer_;
}

int LaunchWatch::wake_signal() { return SIGRTMIN + 5; }

void LaunchWatch::wake() {
    const Wake wake = look(kWakeSeconds);
    if (wake.thread == 0) return;
    last_waited_commands = wake.commands;
    last_waited_seconds = wake.waited_seconds;
    syscall(SYS_tgkill, getpid(), wake.thread, wake_signal());
}

double LaunchWatch::take_waited_seconds() { return last_waited_seconds.exchange(0); }

std::uint64_t LaunchWatch::waited_commands() { return last_waited_commands; }

LaunchWatch::Wake LaunchWatch::look(double seconds) {
    const std::lock_guard lock(launch_mutex);
    if (the_launch == nullptr) return {};
    LaunchWatch& launch = *the_launch;
    if (StopRequest::signal() != 0) return {launch.thread_};
    const Waiting waiting = waiting_of(launch.thread_);
    if (in_firmware(&launch.state_.delivery())) return launch.look_at_own_code(waiting, seconds);
    return waiting.call == SYS_futex ? Wake{launch.thread_} : Wake{};
}

LaunchWatch::Wake LaunchWatch::look_at_own_code(const Waiting& waiting, double seconds) {
    const double cpu_seconds = cpu_seconds_of(thread_);
    const double used = cpu_seconds - std::exchange(cpu_seconds_, cpu_seconds);
    if (state_.issued() != std::exchange(commands_, state_.issued())) waited_seconds_ = 0;
    if (waiting.is_asleep && used < seconds / 2 && !waits_for_people(waiting)) {
        waited_seconds_ += seconds;
    }
    // An earlier signal would interrupt sleep() and the like in a kernel that continues later.
    const std::optional<double>& most = state_.options().call_seconds;
    if (!most || waited_seconds_ < *most) return {};
    return {thread_, waited_seconds_, commands_};
}

}  // namespace okksim::firmware
