// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <vector>

namespace okksim::sim::fidelity {

/// Permitted values of a number within its range.
enum class Grid {
    kReal,
    kWhole,
    kPowersOfTwo,  ///< the range's low end times a power of two
};

/// Search range of one number.
struct Axis {
    double low = 0;
    double high = 0;
    Grid grid = Grid::kReal;
};

/// One number per axis.
using Values = std::vector<double>;

/// Returns the error of a model with these values; lower is better. If the error is at least
/// `enough`, the function may return any number from `enough` on.
using FitError = std::function<double(const Values&, double enough)>;

struct FitResult {
    Values values;
    double error = 0;
};

/// Returns the middle of every range: a start that does not depend on an earlier fit.
Values middle(std::span<const Axis> axes);

/// Searches along the coordinates from `start`. Each axis in turn moves by a step of its range
/// while that lowers the error. If no axis helps, the steps are halved, down to 1/64 of the ranges.
/// Powers of two move by a factor of two. The search is deterministic and never leaves the ranges.
FitResult fit(std::span<const Axis> axes, const Values& start, const FitError& error);

}  // namespace okksim::sim::fidelity
