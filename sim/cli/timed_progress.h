// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace okksim::sim::cli {

/// Shows progress with the time left on standard error. A terminal shows it in place, and erases it
/// at the end. A pipe or file gets a line every ten seconds.
class TimedProgress {
 public:
    explicit TimedProgress(std::string unit);
    ~TimedProgress();
    TimedProgress(const TimedProgress&) = delete;
    TimedProgress& operator=(const TimedProgress&) = delete;

    void show(std::size_t done, std::size_t all);

 private:
    using Clock = std::chrono::steady_clock;

    std::string unit_;
    bool is_watched_;
    Clock::time_point start_ = Clock::now();
    Clock::time_point last_ = start_;
    std::size_t first_ = 0;  ///< done at the first call
};

/// Formats a progress: "12/96 points, about 35 s left". Minutes and hours replace long seconds.
std::string progress_text(std::size_t done, std::size_t all, const std::string& unit,
                          double seconds_left);

}  // namespace okksim::sim::cli
