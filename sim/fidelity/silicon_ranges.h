// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <utility>

namespace okksim::sim::fidelity {

/// What silicon showed for one case over time: the same kernels do not take the same time every
/// day, so a time is known to be within a range.
struct SiliconRange {
    double low = 0;  ///< microseconds
    double high = 0;
    double fastest = 0;  ///< of all boards

    /// Distance of a time to the range, relative to its nearer end; 0 inside.
    double error(double microseconds) const;
};

/// Launch cost of silicon has two states that last for days, this far apart at most: seen by
/// comparing boards of several days, in which whole operators move together. In no range, because
/// a range begins after the last change of a case.
inline constexpr double kLaunchStatesUs = 30;

/// The range of the board values of one case, oldest first, none missing: those from the last one
/// back that differ from it by no more than 5 % or 10 us. Before that, kernels were changed.
SiliconRange stable_range(std::span<const double> values);

/// Ranges by operator and case of contest_history.csv, whose boards are in order of time.
/// ConfigError when the file is malformed.
std::map<std::pair<std::string, int>, SiliconRange> read_ranges(const std::filesystem::path& path);

}  // namespace okksim::sim::fidelity
