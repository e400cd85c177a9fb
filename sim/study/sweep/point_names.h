// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/machine/machine.h"

namespace okksim::sim::sweep {

/// What a point sets, by parameter, in the order of the axes.
using PointSettings = std::vector<std::pair<std::string, std::string>>;

/// Whether a point's parameter is of the run or of a network of the zoo, not of the machine.
bool is_of_run(const std::string& path);

/// A number as a setting writes it: also with a unit of bytes.
std::optional<double> number_of(const std::string& text);

/// The numbers of a machine's parameters by their names: "chip.lanes", and "lanes" where only one
/// section has such a key.
class ParameterNames {
 public:
    explicit ParameterNames(const Machine& base);

    /// The parameter of this name; nothing when there is none.
    std::optional<std::string> path(const std::string& name) const;
    /// Its value at a point.
    std::optional<double> value(const std::string& name, const PointSettings& settings) const;
    const std::vector<std::string>& known() const { return known_; }

 private:
    std::map<std::string, std::string> paths_;
    std::map<std::string, std::string> base_;  ///< by path
    std::vector<std::string> known_;
};

}  // namespace okksim::sim::sweep
