// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

namespace okksim::sim::fidelity {

/// Returns the quantile of the values (nearest rank); 0 without values.
double quantile(std::vector<double> values, double fraction);

/// Agreement of simulated with measured values; a ratio is simulated / measured.
struct Agreement {
    std::size_t count = 0;
    double mean_absolute_error = 0;  ///< mean of |ratio - 1|
    double bias = 0;                 ///< mean of ratio - 1
    double worst_factor = 1;         ///< largest ratio or 1 / ratio
    double rank_correlation = 1;     ///< Spearman's, ties share their mean rank
};
Agreement agreement(std::span<const double> simulated, std::span<const double> measured);

}  // namespace okksim::sim::fidelity
