// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/timed_progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <utility>

#include "sim/cli/output.h"

namespace okksim::sim::cli {
namespace {

constexpr std::chrono::milliseconds kTerminalInterval{200};
constexpr std::chrono::seconds kPipeInterval{10};

}  // namespace

std::string progress_text(std::size_t done, std::size_t all, const std::string& unit,
                          double seconds_left) {
    constexpr double kMinute = 60, kHour = 3600;
    const std::string left = seconds_left < 2 * kMinute ? fmt::format("{:.0f} s", seconds_left)
                             : seconds_left < 2 * kHour
                                 ? fmt::format("{:.0f} min", seconds_left / kMinute)
                                 : fmt::format("{:.1f} h", seconds_left / kHour);
    return fmt::format("{}/{} {}, about {} left", done, all, unit, left);
}

TimedProgress::TimedProgress(std::string unit)
    : unit_(std::move(unit)), is_watched_(isatty(STDERR_FILENO) != 0) {}

TimedProgress::~TimedProgress() {
    if (is_watched_) std::fputs(kClearLine, stderr);
}

void TimedProgress::show(std::size_t done, std::size_t all) {
    const Clock::time_point now = Clock::now();
    if (first_ == 0) first_ = done;
    if (now - last_ < (is_watched_ ? Clock::duration(kTerminalInterval) : kPipeInterval)) return;
    last_ = now;
    // Points before the first call were taken from the store, and say nothing about the time.
    const double seconds = std::chrono::duration<double>(now - start_).count();
    const std::size_t computed = done - first_ + 1;
    const double left =
        seconds / static_cast<double>(computed) * static_cast<double>(all > done ? all - done : 0);
    const std::string text = progress_text(done, all, unit_, left);
    if (is_watched_) {
        fmt::print(stderr, "{}{}", kClearLine, text);
    } else {
        print_error("okksim: " + text + "\n");
    }
}

}  // namespace okksim::sim::cli
