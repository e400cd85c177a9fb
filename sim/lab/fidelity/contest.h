// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sim/lab/fidelity/silicon_ranges.h"
#include "sim/lab/fidelity/statistics.h"
#include "sim/machine/machine.h"

namespace okksim::sim::fidelity {

/// A recorded kernel of a contest case and its simulated times.
struct ContestKernel {
    std::string contestant;
    std::string correct;               ///< yes, no or unverified
    std::filesystem::path trace;       ///< empty: the file is absent
    std::uint64_t engine_calls = 0;    ///< calls that reach an engine
    std::string error;                 ///< reason why the trace cannot be replayed
    std::vector<double> simulated_us;  ///< on each machine, including launch and sync
};

/// One contest case and its best time on silicon.
struct ContestCase {
    std::string op;
    int number = 0;
    std::string params;
    double silicon_us = 0;
    std::optional<SiliconRange> range;  ///< of the dated boards, if any
    bool counted = true;                ///< part of the summary
    bool further = false;               ///< from a folder after the first one
    std::string note;                   ///< reason for not counting, or the choice made
    std::vector<ContestKernel> kernels;

    /// Returns the fastest correct kernel on a machine, or the fastest unverified one if no kernel
    /// is correct. nullptr if there is no trace of either kind.
    const ContestKernel* best(std::size_t machine) const;
    /// Returns a machine's relative error outside silicon's range, or compared with the best time
    /// if no boards are known.
    double error_outside(std::size_t machine) const;
    /// True if a correct kernel is simulated faster than silicon ever executed the case. The
    /// fastest kernel of all participants took longer.
    bool is_impossible(const ContestKernel& kernel, std::size_t machine) const;
};

/// Limits of the contest cases of the first folder.
inline constexpr double kMeanErrorBar = 0.055;
inline constexpr double kFactorBar = 1.4;
inline constexpr double kRankBar = 0.98;
inline constexpr double kOutsideBar = 0.045;
inline constexpr std::size_t kImpossibleBar = 8;
/// Share by which a simulated time must be below the fastest board to be impossible.
inline constexpr double kImpossibleShare = 0.05;

struct ContestReport {
    std::vector<ContestCase> cases;
    std::vector<std::string> ignored;  ///< files whose names have no case
    /// Returns the agreement of the counted cases with a simulated time on a machine.
    Agreement figures(std::size_t machine) const;
    /// Returns the mean error of the same cases outside their ranges.
    double mean_error_outside(std::size_t machine) const;
    /// True if all of the same cases have a range.
    bool has_ranges() const;
    /// Returns the impossibly fast, correct kernels of the counted or the uncounted cases: "matmul
    /// 4 E".
    std::vector<std::string> impossible_kernels(std::size_t machine, bool counted = true) const;
    /// Returns kernels without a time and the reason: the trace named in summary.csv is missing or
    /// cannot be replayed. A wrong kernel that the machine refuses is not among them, because the
    /// chip has no time for it either.
    std::vector<std::string> unread_kernels() const;
    /// Returns the cases of the first folder, for which the limits were set.
    ContestReport first_folder() const;
    bool has_further() const;
    /// True if all kernels have a time and the first folder's cases meet their limits.
    bool met() const;
};

struct ContestOptions {
    /// Folders with <op>_<case>_<contestant>.jsonl[.xz], summary.csv and contest_history.csv. Both
    /// tables may be missing. Folders that do not exist are skipped.
    std::vector<std::filesystem::path> traces;
    std::filesystem::path leaderboard;  ///< leaderboard.csv; may be missing
    std::filesystem::path history;      ///< contest_history.csv of further cases; may be missing
    /// Machines on which every trace is replayed in one pass. All must have the shape of the first.
    std::vector<Machine> machines;
    int jobs = 1;
};

/// Replays all traces. A case whose traces are missing has no time; a damaged trace has an error.
/// `progress(done, all)` is called after each trace.
ContestReport run_contest(const ContestOptions& options,
                          const std::function<void(std::size_t, std::size_t)>& progress);

}  // namespace okksim::sim::fidelity
