// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sim/fidelity/silicon_ranges.h"
#include "sim/fidelity/statistics.h"
#include "sim/machine/machine.h"

namespace okksim::sim::fidelity {

/// A recorded kernel of a contest case and its simulated times.
struct ContestKernel {
    std::string contestant;
    std::string correct;               ///< yes, no or unverified
    std::filesystem::path trace;       ///< empty: the file is absent
    std::uint64_t engine_calls = 0;    ///< calls that reach an engine
    std::string error;                 ///< why the trace could not be replayed
    std::vector<double> simulated_us;  ///< on each machine, launch and sync included
};

/// One contest case beside the best time on silicon.
struct ContestCase {
    std::string op;
    int number = 0;
    std::string params;
    double silicon_us = 0;
    std::optional<SiliconRange> range;  ///< of the dated boards, where there are any
    bool counted = true;                ///< part of the summary figures
    std::string note;                   ///< why not, or what was chosen
    std::vector<ContestKernel> kernels;

    /// The fastest of the correct kernels on a machine; where none is correct, of the unverified
    /// ones. nullptr when no trace of either kind is there.
    const ContestKernel* best(std::size_t machine) const;
    /// How far a machine's time is outside what silicon showed; beside the one best time where no
    /// boards are known.
    double error_outside(std::size_t machine) const;
    /// Whether a correct kernel is simulated faster than silicon ever carried out the case: the
    /// fastest kernel of all participants took longer.
    bool is_impossible(const ContestKernel& kernel, std::size_t machine) const;
};

/// Bars of the contest cases.
inline constexpr double kMeanErrorBar = 0.055;
inline constexpr double kFactorBar = 1.4;
inline constexpr double kRankBar = 0.98;
inline constexpr double kOutsideBar = 0.045;
inline constexpr std::size_t kImpossibleBar = 8;
/// A kernel that is simulated so much faster than the fastest board is impossible.
inline constexpr double kImpossibleShare = 0.05;

struct ContestReport {
    std::vector<ContestCase> cases;
    std::vector<std::string> ignored;  ///< files whose names say no case
    /// Agreement of the counted cases that have a simulated time on a machine.
    Agreement figures(std::size_t machine) const;
    /// Mean error of the same cases outside their ranges.
    double mean_error_outside(std::size_t machine) const;
    /// Whether every one of the same cases has a range.
    bool has_ranges() const;
    /// Correct kernels of the same cases, or of those that are not counted, that are impossibly
    /// fast: "matmul 4 E".
    std::vector<std::string> impossible_kernels(std::size_t machine, bool counted = true) const;
    /// Kernels that say nothing, and why: summary.csv names them and their trace is not there, or
    /// it could not be replayed.
    std::vector<std::string> unread_kernels() const;
    bool met() const;
};

struct ContestOptions {
    std::filesystem::path traces;       ///< folder with <op>_<case>_<contestant>.jsonl[.xz]
    std::filesystem::path leaderboard;  ///< leaderboard.csv; may be missing
    std::filesystem::path history;      ///< contest_history.csv; may be missing
    /// Every trace is replayed on all of them in one pass. They must have the shape of the first.
    std::vector<Machine> machines;
    int jobs = 1;
};

/// Replays all traces. Missing traces are cases without time; damaged ones carry an error.
/// `progress(done, all)` is called after each trace.
ContestReport run_contest(const ContestOptions& options,
                          const std::function<void(std::size_t, std::size_t)>& progress);

}  // namespace okksim::sim::fidelity
