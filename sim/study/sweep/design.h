// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sim/study/sweep/formula.h"
#include "sim/study/sweep/point_names.h"
#include "sim/study/sweep/sweep_spec.h"

namespace okksim::sim::sweep {

/// The points of a sweep's axes: the same for the same specification, on every host.
class Design {
 public:
    /// ConfigError for constraints that are no formulas of parameters.
    Design(const SweepSpec& spec, const Machine& base);

    /// Points before constraints take some away; UINT64_MAX: at least so many.
    std::uint64_t most_points() const;
    /// The first value of every axis.
    PointSettings first() const { return at(std::vector<double>(spec_.axes.size())); }
    /// The values at a place between 0 and 1 of every axis.
    PointSettings at(const std::vector<double>& position) const;
    bool keeps_constraints(const PointSettings& point) const;
    /// The points that keep all constraints, but not of a search. ConfigError when there is none:
    /// that of refuse_all().
    std::vector<PointSettings> points() const;
    /// ConfigError for axes without a point: it names the constraint that most of those break that
    /// have been asked for.
    [[noreturn]] void refuse_all() const;

 private:
    std::vector<PointSettings> grid() const;
    std::vector<PointSettings> each() const;
    std::vector<PointSettings> random() const;
    std::vector<PointSettings> latin() const;
    std::vector<PointSettings> sobol() const;
    /// Points of `next` until there are enough, or so many tries are broken that there are none.
    template <typename Next>
    std::vector<PointSettings> choose(const Next& next) const;

    const SweepSpec& spec_;
    ParameterNames names_;
    std::vector<Formula> constraints_;
    mutable std::vector<std::uint64_t> broken_;  ///< by constraint
};

}  // namespace okksim::sim::sweep
