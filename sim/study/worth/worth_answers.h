// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sim/study/worth/study_run.h"

/// Analysis of a study's runs. Pure.
namespace okksim::sim::worth {

/// Measured values of a point; NaN if unknown. Energy and area are as in the other reports.
struct PointFigures {
    double us = 0, launch_us = 0, commands = 0, dram_bytes = 0, energy_j = 0;
};

/// The measured values at every point of a study, for one network or for the mean of all.
struct WorthRow {
    std::string name;
    std::vector<PointFigures> points;  ///< in the order of MachineStudy::points
    bool is_mean = false;
};

inline constexpr const char* kMeanName = "geometric mean";

WorthRow row_of(const MachineStudy& study, const NetworkWorth& network);
/// Returns geometric means over the networks; NaN if a network has no value or zero.
WorthRow mean_of(const MachineStudy& study, const std::vector<NetworkWorth>& networks);

double area_mm2(const Machine& machine);

/// A point compared with the point that has all groups.
struct Difference {
    double ratio = 0;  ///< time of the point / time with all groups
    double us = 0;     ///< additional time of the point
    double mm2 = 0;    ///< additional area of the machine with all groups
    /// Time saved per area of the groups that the point lacks. For a point with one group, the
    /// comparison is with no groups. NaN for machines of equal size.
    double us_per_mm2 = 0;
};
Difference difference(const MachineStudy& study, const WorthRow& row, std::size_t point);

/// Two groups whose joint effect differs from the sum of their separate effects.
struct Interaction {
    GroupSet groups;
    double us = 0;      ///< additional time without both
    double sum_us = 0;  ///< sum of the additional times without each one
    double share = 0;   ///< us - sum_us, as a share of the time with all groups
};
/// Interactions above this share of the time with all groups are reported, largest first.
inline constexpr double kLeastShare = 0.01;
std::vector<Interaction> interactions(const MachineStudy& study, const WorthRow& row);

/// Returns the kinds of operators of a network at any point, longest time with all groups first.
std::vector<std::string> kinds_of(const NetworkWorth& network);
/// Returns the cost of a kind in a run; zero if the run has none.
KindUse use_of(const NetworkRun& run, const std::string& kind);

/// Returns the groups of which no network issues a command with all groups on. Returns none if no
/// network has run.
GroupSet unused_groups(const MachineStudy& study, const std::vector<NetworkWorth>& networks);

}  // namespace okksim::sim::worth
