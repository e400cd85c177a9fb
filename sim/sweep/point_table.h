// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/sweep/formula.h"
#include "sim/sweep/point_store.h"

namespace okksim::sim::sweep {

/// The specification's metrics, each over figures, parameters and those before it. ConfigError for
/// names that there are not, or already, and for objectives that name nothing.
std::vector<std::pair<std::string, Formula>> read_metrics(const SweepSpec& spec,
                                                          const ParameterNames& names);

/// The finished points of a sweep with all that can be said of them by name: figures, parameters,
/// metrics of the specification.
class PointTable {
 public:
    /// ConfigError for metrics and objectives that name nothing.
    PointTable(PointStore& store, const StoredSweep& sweep);

    const SweepSpec& spec() const { return spec_; }
    const Machine& base() const { return base_; }
    const std::vector<StoredPoint>& points() const { return points_; }
    /// Parameters that the axes vary, in their order.
    const std::vector<std::string>& parameters() const { return parameters_; }
    /// Figures of which any point has a value, then the specification's metrics.
    std::vector<std::string> metrics() const;
    /// A figure, parameter or metric of a point; nothing where it has none.
    std::optional<double> value(const StoredPoint& point, const std::string& name) const;
    /// What the point sets for a parameter; empty: nothing.
    static std::string setting(const StoredPoint& point, const std::string& parameter);

    /// A line per point: number, workload, machine hash, parameters, metrics, failure.
    std::string csv() const;
    std::string json() const;

 private:
    Machine base_;
    SweepSpec spec_;
    ParameterNames names_;
    std::vector<std::pair<std::string, Formula>> metrics_;
    std::vector<StoredPoint> points_;
    std::vector<std::string> parameters_;
};

}  // namespace okksim::sim::sweep
