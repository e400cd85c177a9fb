// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sim/study/sweep/point_metrics.h"
#include "sim/study/sweep/point_store.h"

namespace okksim::sim::sweep {

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
    /// A figure, parameter, metric or formula of a point; nothing where it has none.
    std::optional<double> value(const StoredPoint& point, const std::string& name) const {
        return metrics_.value(point, name);
    }
    /// Of a machine, from its points (point_metrics.h).
    std::vector<double> objectives(const std::vector<const StoredPoint*>& points) const {
        return metrics_.objectives(points);
    }
    /// What the point sets for a parameter; empty: nothing.
    static std::string setting(const StoredPoint& point, const std::string& parameter);

    /// A line per point: number, workload, machine hash, parameters, metrics, failure.
    std::string csv() const;
    std::string json() const;

 private:
    Machine base_;
    SweepSpec spec_;
    PointMetrics metrics_;
    std::vector<StoredPoint> points_;
    std::vector<std::string> parameters_;
};

/// Which point it is, as reports show it: number, workload, hash of the machine, settings.
nlohmann::ordered_json point_json(const StoredPoint& point);

}  // namespace okksim::sim::sweep
