// SPDX-License-Identifier: Apache-2.0
#include "firmware/host/launch_history.h"

#include <algorithm>
#include <iterator>

namespace okksim::firmware::host {

void LaunchHistory::trim(std::size_t most) {
    if (kept_.size() <= 2 * most) return;
    const auto end = kept_.end() - static_cast<std::ptrdiff_t>(most);
    std::for_each(kept_.begin(), end, [&](const LaunchReport& report) { add_up(report); });
    kept_.erase(kept_.begin(), end);
}

double LaunchHistory::simulated_us() const {
    double sum = 0;
    for_each_report([&](const LaunchReport& report) { sum += report.simulated_us; });
    return sum;
}

void LaunchHistory::add_up(const LaunchReport& report) {
    EarlierLaunches& all = earlier_[report.name];
    LaunchReport& sum = all.sum;
    // A kernel is reported as untimed if one of its launches is.
    sum.computations =
        all.launches == 0 ? report.computations : std::min(sum.computations, report.computations);
    sum.name = report.name;
    sum.simulated_us += report.simulated_us;
    sum.commands += report.commands;
    sum.uses_pointers_unseen |= report.uses_pointers_unseen;
    if (report.unseen) {
        if (!sum.unseen) sum.unseen.emplace();
        *sum.unseen += *report.unseen;
    }
    all.faults += report.fault ? 1 : 0;
    all.findings += report.findings.size();
    ++all.launches;
    ++earlier_count_;
}

}  // namespace okksim::firmware::host
