// SPDX-License-Identifier: Apache-2.0
#include "sim/lab/fidelity/fit.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "isa/base/errors.h"

namespace okksim::sim::fidelity {
namespace {

constexpr double kFirstStep = 1.0 / 4;
constexpr double kLastStep = 1.0 / 64;

/// Returns the value one step up or down, within the range.
double moved(const Axis& axis, double value, double step, bool up) {
    double next = value;
    switch (axis.grid) {
        case Grid::kReal: next += (up ? step : -step) * (axis.high - axis.low); break;
        case Grid::kWhole:
            next += std::round(std::max(1.0, step * (axis.high - axis.low))) * (up ? 1 : -1);
            break;
        case Grid::kPowersOfTwo: next *= up ? 2 : 0.5; break;
    }
    // A power of two outside the range is not a grid value.
    if (axis.grid == Grid::kPowersOfTwo && (next < axis.low || next > axis.high)) return value;
    return std::clamp(next, axis.low, axis.high);
}

/// Moves one axis in one direction while that lowers the error.
bool walk(const Axis& axis, std::size_t index, double step, bool up, const FitError& error,
          FitResult& best) {
    bool helped = false;
    for (;;) {
        Values next = best.values;
        next[index] = moved(axis, next[index], step, up);
        if (next[index] == best.values[index]) return helped;
        const double next_error = error(next, best.error);
        if (!(next_error < best.error)) return helped;
        best = {std::move(next), next_error};
        helped = true;
    }
}

}  // namespace

Values middle(std::span<const Axis> axes) {
    Values values;
    for (const Axis& axis : axes) {
        OKKSIM_CHECK(axis.low <= axis.high);
        switch (axis.grid) {
            case Grid::kReal: values.push_back((axis.low + axis.high) / 2); break;
            case Grid::kWhole: values.push_back(std::round((axis.low + axis.high) / 2)); break;
            case Grid::kPowersOfTwo: {
                const double doublings = std::floor(std::log2(axis.high / axis.low) / 2);
                values.push_back(axis.low * std::exp2(doublings));
                break;
            }
        }
    }
    return values;
}

FitResult fit(std::span<const Axis> axes, const Values& start, const FitError& error) {
    OKKSIM_CHECK(start.size() == axes.size());
    FitResult best{start, error(start, std::numeric_limits<double>::infinity())};
    for (double step = kFirstStep; step >= kLastStep; step /= 2) {
        bool helped = true;
        while (helped) {
            helped = false;
            for (std::size_t i = 0; i < axes.size(); ++i) {
                const bool rose = walk(axes[i], i, step, true, error, best);
                const bool fell = !rose && walk(axes[i], i, step, false, error, best);
                helped = helped || rose || fell;
            }
        }
    }
    return best;
}

}  // namespace okksim::sim::fidelity
