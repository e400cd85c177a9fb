// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/machine/machine.h"

namespace okksim::sim::sweep {

/// The settings of a point by parameter, in the order of the axes.
using PointSettings = std::vector<std::pair<std::string, std::string>>;

/// True if the parameter belongs to the run or to a zoo network, not to the machine.
bool is_of_run(const std::string& path);

/// Parses a number of a setting, with an optional unit of bytes.
std::optional<double> number_of(const std::string& text);

/// Looks up a machine's parameters by name: "chip.lanes", or "lanes" if only one section has that
/// key.
class ParameterNames {
 public:
    explicit ParameterNames(const Machine& base);

    /// Returns the full path of the parameter; nothing if it is unknown.
    std::optional<std::string> path(const std::string& name) const;
    /// Returns the parameter's value at a point.
    std::optional<double> value(const std::string& name, const PointSettings& settings) const;
    const std::vector<std::string>& known() const { return known_; }

 private:
    std::map<std::string, std::string> paths_;
    std::map<std::string, std::string> base_;  ///< by path
    std::vector<std::string> known_;
};

}  // namespace okksim::sim::sweep
