// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/study/sweep/formula.h"
#include "sim/study/sweep/point_store.h"

namespace okksim::sim::sweep {

/// Values of a point by name: measured values, parameters, and the specification's metrics. A
/// metric may use the metrics before it.
class PointMetrics {
 public:
    /// ConfigError if a metric's name is already taken, or if a metric, objective or level uses an
    /// unknown name.
    PointMetrics(const SweepSpec& spec, const Machine& base);

    /// Returns the names of the specification's metrics.
    std::vector<std::string> names() const;
    /// Returns a measured value, parameter, metric or formula; nothing if the point lacks a value.
    std::optional<double> value(const StoredPoint& point, const std::string& name) const;

    /// Returns the objectives of a machine: geometric means over its workloads, or arithmetic means
    /// if a value is not positive. Empty unless all of these are the points of `workloads`
    /// workloads that succeeded.
    std::vector<double> objectives(const std::vector<const StoredPoint*>& points,
                                   std::size_t workloads) const;
    std::vector<double> objectives(const std::vector<const StoredPoint*>& points) const {
        return objectives(points, workloads_);
    }

 private:
    std::optional<double> mean(const std::vector<const StoredPoint*>& points,
                               const std::string& objective) const;

    std::size_t workloads_;
    std::vector<std::string> objectives_;
    ParameterNames names_;
    std::map<std::string, PointSettings> variants_;  ///< of workloads, by name
    std::vector<std::pair<std::string, Formula>> metrics_;
};

}  // namespace okksim::sim::sweep
