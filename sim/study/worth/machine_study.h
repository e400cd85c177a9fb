// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "sim/machine/machine.h"
#include "sim/study/worth/group_set.h"

namespace okksim::sim::worth {

/// What a user asks for.
struct StudyChoice {
    std::string machine = "okk-next";
    std::vector<std::string> settings;  ///< section.key=value
    /// Groups to look at; nothing: those that the machine has, of one without any every group.
    std::optional<GroupSet> groups;
    std::vector<std::string> parameters;  ///< "section.key=value,value"
};

enum class PointKind {
    kAll,
    kNone,         ///< of the groups that are looked at
    kWithout,      ///< all but one, and those that need it
    kOnly,         ///< one, with those that it needs
    kWithoutPair,  ///< all but two
    kParameter     ///< all, and another value of a parameter
};
/// "all", "none", "without", "only", "without pair", "parameter".
const char* kind_name(PointKind kind);

/// A machine to run networks on, and what it says.
struct Point {
    PointKind kind = PointKind::kAll;
    GroupSet named;   ///< taken away, or alone
    GroupSet groups;  ///< that the machine has
    std::string parameter, value;
    std::size_t machine = 0;  ///< of MachineStudy::machines

    /// "without int8_mac, fused_rescale": with what goes along.
    std::string name(GroupSet all) const;
};

/// Machines that differ in groups of instructions or a parameter.
struct MachineStudy {
    Machine base;     ///< as given
    GroupSet groups;  ///< that are looked at
    GroupSet all;     ///< of the first point
    std::vector<Point> points;
    std::vector<Machine> machines;  ///< no two are equal

    /// With those that come and go along.
    GroupSet concerned() const { return groups.with_needing().with(groups.with_needed()); }
    const Machine& machine_of(const Point& point) const { return machines[point.machine]; }
    /// The point, if there is one.
    const Point* find(PointKind kind, GroupSet named) const;
};

/// ConfigError for machines that there cannot be: settings, groups or parameters that do not fit.
MachineStudy make_study(const StudyChoice& choice);

/// A value of a group that nobody has measured or derived.
struct AssumedValue {
    std::string path, value, source;
};
/// Those of a machine's parameters that the group has.
std::vector<AssumedValue> assumed_values(const Machine& machine, isa::Feature group);

}  // namespace okksim::sim::worth
