// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace okksim::sim::sweep {

/// One value of an axis: what it sets, "chip.lanes" to "32"; several of a bundle.
struct AxisValue {
    std::string text;  ///< as reports show it: "32", or the bundle's name for it
    std::vector<std::pair<std::string, std::string>> settings;
};

/// From `low` to `high`, both possible; evenly in the logarithm where `is_log`.
struct Interval {
    double low = 0;
    double high = 0;
    bool is_log = false;
    bool is_whole = false;  ///< whole numbers alone
};

/// Something that a sweep varies: a parameter of the machine, of the run ("run.effort") or of a
/// network of the zoo ("zoo.batch"), or several that move together.
struct Axis {
    std::string name;               ///< the parameter, or the bundle
    std::vector<AxisValue> values;  ///< of a list
    std::optional<Interval> interval;

    /// What it sets; of a bundle all that any of its values does.
    std::vector<std::string> parameters() const;
    bool is_list() const { return !interval.has_value(); }
    /// The value at `position` of [0, 1): of an interval, or of the list.
    AxisValue at(double position) const;
};

}  // namespace okksim::sim::sweep
