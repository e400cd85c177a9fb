// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace okksim::sim::sweep {

/// One value of an axis and the settings it makes, such as "chip.lanes" = "32". A bundle makes
/// several settings.
struct AxisValue {
    std::string text;  ///< as reports show it: "32", or the name within the bundle
    std::vector<std::pair<std::string, std::string>> settings;
};

/// The interval from `low` to `high`, both included. It is spaced logarithmically if `is_log`.
struct Interval {
    double low = 0;
    double high = 0;
    bool is_log = false;
    bool is_whole = false;  ///< only whole numbers
};

/// A dimension of the sweep. It varies one parameter of the machine, the run ("run.effort") or a
/// zoo network ("zoo.batch"), or a bundle of parameters together.
struct Axis {
    std::string name;               ///< the parameter, or the bundle
    std::vector<AxisValue> values;  ///< if the axis is a list
    std::optional<Interval> interval;

    /// Returns the parameters that the axis sets. A bundle returns every parameter that any of its
    /// values sets.
    std::vector<std::string> parameters() const;
    bool is_list() const { return !interval.has_value(); }
    /// Returns the value at `position` in [0, 1], for an interval or a list.
    AxisValue at(double position) const;
};

}  // namespace okksim::sim::sweep
