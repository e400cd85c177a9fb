// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <utility>

namespace okksim::sim::fidelity {

/// The range of silicon's times for one case. The same kernels take different times on different
/// days, so a time is only known within a range.
struct SiliconRange {
    double low = 0;  ///< microseconds
    double high = 0;
    double fastest = 0;  ///< of all dated boards

    /// Returns the distance of a time to the range, relative to its nearer end; 0 inside.
    double error(double microseconds) const;
};

/// Largest difference in microseconds between the two states of silicon's launch cost. Each state
/// lasts for days. Boards of several days show the states, because all cases of an operator move
/// together. No range contains this difference, because a range begins after the last change of a
/// case.
inline constexpr double kLaunchStatesUs = 30;

/// Returns the range of one case's board values, which are ordered oldest first and complete. The
/// range goes back from the last value while values differ from it by at most 5 % or 10 us. Before
/// that, the kernels were different.
SiliconRange stable_range(std::span<const double> values);

/// Reads the ranges by operator and case from contest_history.csv, whose boards are in order of
/// time. Throws ConfigError if the file is malformed.
std::map<std::pair<std::string, int>, SiliconRange> read_ranges(const std::filesystem::path& path);

}  // namespace okksim::sim::fidelity
