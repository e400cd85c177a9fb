// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <vector>

namespace okksim::sim::fidelity {

/// Which values of its range a number can take.
enum class Grid {
    kReal,
    kWhole,
    kPowersOfTwo,  ///< the range's low end times a power of two
};

/// Range of one number that is searched.
struct Axis {
    double low = 0;
    double high = 0;
    Grid grid = Grid::kReal;
};

/// One number per axis.
using Values = std::vector<double>;

/// How wrong a model is with these values; lower is better. Once the error is known to be at least
/// `enough`, any number from there on will do.
using FitError = std::function<double(const Values&, double enough)>;

struct FitResult {
    Values values;
    double error = 0;
};

/// Middle of every range: a start that knows nothing of an earlier fit.
Values middle(std::span<const Axis> axes);

/// Coordinate search from `start`: one axis after the other is moved by a step of its range while
/// that lowers the error; when no axis helps, the steps are halved, down to 1/64 of the ranges.
/// Powers of two move by one factor of two. Deterministic; never leaves the ranges.
FitResult fit(std::span<const Axis> axes, const Values& start, const FitError& error);

}  // namespace okksim::sim::fidelity
