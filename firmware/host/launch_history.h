// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "firmware/host/device.h"

namespace okksim::firmware::host {

/// Launches of one kernel whose reports are no longer kept.
struct EarlierLaunches {
    std::size_t launches = 0, faults = 0, findings = 0;
    LaunchReport sum;  ///< times and counts added up, without faults and findings
};

/// The launches of a process in order. A program may launch without end, so old reports are added
/// up by kernel when trim() is called.
class LaunchHistory {
 public:
    LaunchHistory() = default;
    LaunchHistory(std::vector<LaunchReport> reports) : kept_(std::move(reports)) {}

    void add(LaunchReport report) { kept_.push_back(std::move(report)); }
    /// Adds up old reports if more than `2 * most` are kept, so that at least `most` stay.
    void trim(std::size_t most);

    /// The latest reports.
    const std::vector<LaunchReport>& kept() const { return kept_; }
    /// Older launches by kernel.
    const std::map<std::string, EarlierLaunches>& earlier() const { return earlier_; }
    /// Calls `visit` with the sum of each kernel's earlier reports, and with each kept report.
    template <typename Visit>
    void for_each_report(const Visit& visit) const {
        for (const auto& [name, earlier] : earlier_) visit(earlier.sum);
        for (const LaunchReport& report : kept_) visit(report);
    }
    /// Returns the time of all launches together.
    double simulated_us() const;
    std::size_t count() const { return earlier_count_ + kept_.size(); }

 private:
    void add_up(const LaunchReport& report);

    std::vector<LaunchReport> kept_;
    std::map<std::string, EarlierLaunches> earlier_;
    std::size_t earlier_count_ = 0;
};

}  // namespace okksim::firmware::host
