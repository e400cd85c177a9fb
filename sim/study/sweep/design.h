// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sim/study/sweep/formula.h"
#include "sim/study/sweep/point_names.h"
#include "sim/study/sweep/sweep_spec.h"

namespace okksim::sim::sweep {

/// The points of a sweep. The same specification gives the same points on every host.
class Design {
 public:
    /// ConfigError if a constraint is not a formula over parameters.
    Design(const SweepSpec& spec, const Machine& base);

    /// Returns the number of points before constraints apply; UINT64_MAX if it is that large or
    /// larger.
    std::uint64_t most_points() const;
    /// Returns the settings with the first value of every axis.
    PointSettings first() const { return at(std::vector<double>(spec_.axes.size())); }
    /// Returns the values at a position in [0, 1] on every axis.
    PointSettings at(const std::vector<double>& position) const;
    bool keeps_constraints(const PointSettings& point) const;
    /// Returns the points that satisfy all constraints; for mode "search", the engine chooses
    /// points instead. Throws the ConfigError of refuse_all() if no point is left.
    std::vector<PointSettings> points() const;
    /// Throws a ConfigError that names the constraint violated most often by the points tested.
    [[noreturn]] void refuse_all() const;

 private:
    std::vector<PointSettings> grid() const;
    std::vector<PointSettings> each() const;
    std::vector<PointSettings> random() const;
    std::vector<PointSettings> latin() const;
    std::vector<PointSettings> sobol() const;
    /// Takes points from `next` until `spec_.points` satisfy the constraints, or until the limit on
    /// attempts is reached.
    template <typename Next>
    std::vector<PointSettings> choose(const Next& next) const;

    const SweepSpec& spec_;
    ParameterNames names_;
    std::vector<Formula> constraints_;
    mutable std::vector<std::uint64_t> broken_;  ///< violations of each constraint
};

}  // namespace okksim::sim::sweep
