// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "sim/machine/machine.h"
#include "sim/study/worth/group_set.h"

namespace okksim::sim::worth {

/// A study as the user requests it.
struct StudyChoice {
    std::string machine = "okk-next";
    std::vector<std::string> settings;  ///< section.key=value
    /// Groups to study. Without a list, the groups of the machine, or all groups if the machine has
    /// none.
    std::optional<GroupSet> groups;
    std::vector<std::string> parameters;  ///< "section.key=value,value"
};

enum class PointKind {
    kAll,
    kNone,         ///< none of the studied groups
    kWithout,      ///< all but one, and those that need it
    kOnly,         ///< one, with those that it needs
    kWithoutPair,  ///< all but two
    kParameter     ///< all, with another value of a parameter
};
/// Returns "all", "none", "without", "only", "without pair", "parameter".
const char* kind_name(PointKind kind);

/// A configuration on which the networks run.
struct Point {
    PointKind kind = PointKind::kAll;
    GroupSet named;   ///< the groups removed, or kept alone
    GroupSet groups;  ///< of the machine
    std::string parameter, value;
    std::size_t machine = 0;  ///< index in MachineStudy::machines

    /// Returns "without int8_mac, fused_rescale", including the groups removed along.
    std::string name(GroupSet all) const;
};

/// Machines that differ in their instruction groups or in a parameter.
struct MachineStudy {
    Machine base;     ///< as given
    GroupSet groups;  ///< studied groups
    GroupSet all;     ///< of the first point
    std::vector<Point> points;
    std::vector<Machine> machines;  ///< all different

    /// Returns the studied groups, the groups that they need and the groups that need them.
    GroupSet concerned() const { return groups.with_needing().with(groups.with_needed()); }
    const Machine& machine_of(const Point& point) const { return machines[point.machine]; }
    /// Returns the point, or nullptr.
    const Point* find(PointKind kind, GroupSet named) const;
};

/// Makes the study. ConfigError for settings, groups or parameters that give an invalid machine.
MachineStudy make_study(const StudyChoice& choice);

/// A parameter of a group whose value is neither measured nor derived.
struct AssumedValue {
    std::string path, value, source;
};
/// Returns the assumed values of a machine that belong to the group.
std::vector<AssumedValue> assumed_values(const Machine& machine, isa::Feature group);

}  // namespace okksim::sim::worth
