// SPDX-License-Identifier: Apache-2.0
#include "sim/lab/fidelity/statistics.h"

#include <cmath>

#include "tests/support/catch.h"

namespace {

using namespace okksim::sim::fidelity;

TEST_CASE("Quantiles take the nearest rank") {
    // Nine of ten values do not exceed 9, and five do not exceed 5.
    const std::vector<double> values{10, 9, 8, 7, 6, 5, 4, 3, 2, 1};
    CHECK(quantile(values, 0.9) == 9);
    CHECK(quantile(values, 0.5) == 5);
    CHECK(quantile(values, 1) == 10);
    CHECK(quantile({}, 0.5) == 0);
}

TEST_CASE("Agreement of simulated and measured figures") {
    // Ratios 1.1, 0.8, 1.0: errors 0.1, 0.2, 0.0; mean 0.1; mean of the signed ones -1/30; the
    // worst factor is 1 / 0.8.
    const std::vector<double> simulated{11, 80, 1000};
    const std::vector<double> measured{10, 100, 1000};
    const Agreement figures = agreement(simulated, measured);
    CHECK(figures.count == 3);
    CHECK(figures.mean_absolute_error == Approx(0.1));
    CHECK(figures.bias == Approx(-0.1 / 3));
    CHECK(figures.worst_factor == Approx(1.25));
    CHECK(figures.rank_correlation == Approx(1));
}

TEST_CASE("Rank correlation knows order only, and ties") {
    CHECK(
        agreement(std::vector<double>{3, 2, 1}, std::vector<double>{1, 20, 300}).rank_correlation ==
        Approx(-1));
    // Ranks 0, 1.5, 1.5, 3 against 0, 1, 2, 3: covariance 4.5 of variances 4.5 and 5.
    CHECK(agreement(std::vector<double>{1, 2, 2, 3}, std::vector<double>{1, 2, 3, 4})
              .rank_correlation == Approx(4.5 / std::sqrt(4.5 * 5)));
    CHECK(agreement(std::vector<double>{}, std::vector<double>{}).count == 0);
}

}  // namespace
