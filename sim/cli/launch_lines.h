// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "firmware/host/launch_history.h"
#include "isa/base/finding_repeats.h"

namespace okksim::sim::cli {

/// The facts that a text report prints of each launch of one kernel. A launch without new findings
/// takes a few words, so that a run may have millions of launches.
class LaunchLines {
 public:
    void add(std::vector<firmware::host::LaunchReport> reports) {
        for (firmware::host::LaunchReport& report : reports) add_one(std::move(report));
    }
    /// Adds a finding to the last launch.
    void add_to_last(Finding finding) {
        firmware::host::LaunchReport report = whole(lines_.size() - 1);
        if (kinds_[lines_.back().kind].kept != kNone) kept_.pop_back();
        lines_.pop_back();
        repeats_.add({finding});
        report.findings.push_back(std::move(finding));
        keep(report);
    }
    /// Calls `visit(report, repeats)` for every launch in order. A finding is part of the first
    /// launch that has it, and the repeats have its number of launches.
    template <typename Visit>
    void for_each(const Visit& visit) const {
        FindingRepeats repeats = repeats_;
        for (std::size_t i = 0; i < lines_.size(); ++i) visit(whole(i), repeats);
    }
    /// The launches added up.
    const firmware::host::LaunchHistory& history() const { return history_; }
    bool has_fault() const { return has_fault_; }
    bool has_mistake() const { return has_mistake_; }

 private:
    static constexpr std::size_t kNone = SIZE_MAX;
    /// The facts that most launches share.
    struct Kind {
        isa::CommandCounts commands;
        bool uses_pointers_unseen = false;
        std::size_t kept = kNone;  ///< index of the whole report
        bool operator==(const Kind&) const = default;
    };
    struct Line {
        double simulated_us = 0;
        std::size_t kind = 0;  ///< index in `kinds_`
    };

    void add_one(firmware::host::LaunchReport report) {
        repeats_.add(report.findings);
        report.touched = {};
        name_ = report.name;
        history_.add(report);
        history_.trim(0);
        keep(std::move(report));
    }
    void keep(firmware::host::LaunchReport report) {
        has_fault_ = has_fault_ || report.fault;
        has_mistake_ = has_mistake_ || std::ranges::any_of(report.findings, is_mistake);
        std::erase_if(report.findings, [&](const Finding& finding) {
            return std::ranges::any_of(kept_, [&](const firmware::host::LaunchReport& earlier) {
                return std::ranges::any_of(earlier.findings, [&](const Finding& known) {
                    return findings_text({known}, "") == findings_text({finding}, "");
                });
            });
        });
        Kind kind{report.commands, report.uses_pointers_unseen};
        const double simulated_us = report.simulated_us;
        if (report.fault || !report.findings.empty()) {
            kind.kept = kept_.size();
            kept_.push_back(std::move(report));
        }
        // Most launches are like the one before.
        if (kinds_.empty() || kinds_.back() != kind) kinds_.push_back(kind);
        lines_.push_back({simulated_us, kinds_.size() - 1});
    }
    firmware::host::LaunchReport whole(std::size_t index) const {
        const Line& line = lines_[index];
        const Kind& kind = kinds_[line.kind];
        if (kind.kept != kNone) return kept_[kind.kept];
        firmware::host::LaunchReport report;
        report.name = name_;
        report.simulated_us = line.simulated_us;
        report.commands = kind.commands;
        report.uses_pointers_unseen = kind.uses_pointers_unseen;
        return report;
    }

    std::string name_;
    std::deque<Line> lines_;
    std::vector<Kind> kinds_;
    std::vector<firmware::host::LaunchReport> kept_;  ///< with a fault or new findings
    FindingRepeats repeats_;
    firmware::host::LaunchHistory history_;
    bool has_fault_ = false;
    bool has_mistake_ = false;
};

}  // namespace okksim::sim::cli
