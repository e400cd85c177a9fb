// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sim/study/worth/study_run.h"

/// What the runs of a study say of groups. Pure.
namespace okksim::sim::worth {

/// What a point takes. NaN: not known. Joules and area as in the other reports.
struct PointFigures {
    double us = 0, launch_us = 0, commands = 0, dram_bytes = 0, energy_j = 0;
};

/// The figures of a network at every point of a study, or of all networks together.
struct WorthRow {
    std::string name;
    std::vector<PointFigures> points;  ///< as MachineStudy::points
    bool is_mean = false;
};

inline constexpr const char* kMeanName = "geometric mean";

WorthRow row_of(const MachineStudy& study, const NetworkWorth& network);
/// Geometric means over the networks; NaN where one of them has no figure, or nothing.
WorthRow mean_of(const MachineStudy& study, const std::vector<NetworkWorth>& networks);

double area_mm2(const Machine& machine);

/// A point beside the one with all groups.
struct Difference {
    double ratio = 0;  ///< of the times, of all groups' in the denominator
    double us = 0;     ///< that the point takes longer
    double mm2 = 0;    ///< that the machine with all groups is larger
    /// Time that an area wins: that of the groups which the point lacks or, where it has one only,
    /// that of this one beside none. NaN for machines of one size.
    double us_per_mm2 = 0;
};
Difference difference(const MachineStudy& study, const WorthRow& row, std::size_t point);

/// Two groups whose joint effect is not the sum of theirs.
struct Interaction {
    GroupSet groups;
    double us = 0;      ///< that the networks take longer without both
    double sum_us = 0;  ///< without the first, and without the second, together
    double share = 0;   ///< us - sum_us, of the time with all groups
};
/// Those of more than this share of the time with all groups, the largest first.
inline constexpr double kLeastShare = 0.01;
std::vector<Interaction> interactions(const MachineStudy& study, const WorthRow& row);

/// Kinds of operators at any point of the network, those that take longest with all groups first.
std::vector<std::string> kinds_of(const NetworkWorth& network);
/// What a kind takes in a run; nothing where it has none.
KindUse use_of(const NetworkRun& run, const std::string& kind);

/// Groups of which no network has issued a command with all groups on; none where none has run.
GroupSet unused_groups(const MachineStudy& study, const std::vector<NetworkWorth>& networks);

}  // namespace okksim::sim::worth
