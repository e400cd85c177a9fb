// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sim/study/sweep/point_metrics.h"
#include "sim/study/sweep/point_store.h"

namespace okksim::sim::sweep {

/// The finished points of a sweep and their values by name: measured values, parameters, and
/// metrics of the specification.
class PointTable {
 public:
    /// ConfigError if a metric or an objective uses an unknown name.
    PointTable(PointStore& store, const StoredSweep& sweep);

    const SweepSpec& spec() const { return spec_; }
    const Machine& base() const { return base_; }
    const std::vector<StoredPoint>& points() const { return points_; }
    /// Returns the parameters that the axes vary, in order.
    const std::vector<std::string>& parameters() const { return parameters_; }
    /// Returns the measured values that any point has, then the specification's metrics.
    std::vector<std::string> metrics() const;
    /// Returns a measured value, parameter, metric or formula; nothing if the point lacks a value.
    std::optional<double> value(const StoredPoint& point, const std::string& name) const {
        return metrics_.value(point, name);
    }
    /// Returns the objectives of a machine from its points (point_metrics.h), without those of
    /// failed_workloads().
    std::vector<double> objectives(const std::vector<const StoredPoint*>& points) const;
    /// Returns the workloads whose failures leave no machine that runs all workloads. Answers leave
    /// them out, so that the others have answers.
    const std::vector<std::string>& failed_workloads() const { return failed_workloads_; }
    /// Returns the point's setting of a parameter; empty if the point does not set it.
    static std::string setting(const StoredPoint& point, const std::string& parameter);
    /// Returns the settings that made the variant of the point's workload.
    PointSettings variant(const StoredPoint& point) const;

    /// Returns a line per point: number, workload, machine hash, parameters, metrics, failure.
    std::string csv() const;
    std::string json() const;

 private:
    Machine base_;
    SweepSpec spec_;
    PointMetrics metrics_;
    std::vector<StoredPoint> points_;
    std::vector<std::string> parameters_;
    std::vector<std::string> variant_parameters_;
    std::vector<std::string> failed_workloads_;
};

/// Identifies a point in reports: number, workload, hash of the machine, settings.
nlohmann::ordered_json point_json(const StoredPoint& point);

}  // namespace okksim::sim::sweep
