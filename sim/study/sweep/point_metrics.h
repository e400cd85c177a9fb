// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/study/sweep/formula.h"
#include "sim/study/sweep/point_store.h"

namespace okksim::sim::sweep {

/// What can be said of a point by name: figures, parameters, and the specification's metrics, each
/// over those before it.
class PointMetrics {
 public:
    /// ConfigError for names that there are not, or already, and for objectives and levels that
    /// name nothing.
    PointMetrics(const SweepSpec& spec, const Machine& base);

    /// The specification's own.
    std::vector<std::string> names() const;
    /// A figure, parameter, metric or formula of them; nothing where the point has none.
    std::optional<double> value(const StoredPoint& point, const std::string& name) const;

    /// The objectives of a machine: geometric means over its workloads, plain ones where a value
    /// is not positive. Empty where a workload is missing or has failed.
    std::vector<double> objectives(const std::vector<const StoredPoint*>& points) const;

 private:
    std::optional<double> mean(const std::vector<const StoredPoint*>& points,
                               const std::string& objective) const;

    std::size_t workloads_;
    std::vector<std::string> objectives_;
    ParameterNames names_;
    std::vector<std::pair<std::string, Formula>> metrics_;
};

}  // namespace okksim::sim::sweep
