// SPDX-License-Identifier: Apache-2.0
#include "sim/lab/fidelity/fit.h"

#include <cmath>
#include <limits>

#include "tests/support/catch.h"

namespace {

using namespace okksim::sim::fidelity;

FitError distance_to(const Values& target) {
    return [target](const Values& values, double) {
        double sum = 0;
        for (std::size_t i = 0; i < target.size(); ++i) sum += std::abs(values[i] - target[i]);
        return sum;
    };
}

TEST_CASE("A search starts in the middle of the ranges") {
    // 64 is one doubling above 32, of two possible doublings; half of one doubling rounds to none.
    CHECK(middle(std::vector<Axis>{{0, 16, Grid::kReal},
                                   {26, 1001, Grid::kWhole},
                                   {32, 128, Grid::kPowersOfTwo},
                                   {128, 256, Grid::kPowersOfTwo}}) == Values{8, 514, 64, 128});
}

TEST_CASE("A search comes within the last step of every axis") {
    // Steps of 16 from 8: 4 leads to 12, 2 does not help in either direction, 1 leads to 11. Then
    // 0.5 leads to 11.5 and 0.25 to 11.25. The other axis goes 12, 14, 13.
    const std::vector<Axis> axes{{0, 16, Grid::kReal}, {0, 16, Grid::kReal}};
    const FitResult found = fit(axes, middle(axes), distance_to({11.3, 13}));
    CHECK(found.values == Values{11.25, 13});
    CHECK(found.error == Approx(0.05));
}

TEST_CASE("A search stays on the grid and within the ranges") {
    const std::vector<Axis> axes{{26, 1001, Grid::kWhole}, {32, 128, Grid::kPowersOfTwo}};
    const auto on_grid = [&](const Values& values, double) {
        CHECK(values[0] == std::round(values[0]));
        CHECK(values[0] >= 26);
        CHECK(values[0] <= 1001);
        CHECK((values[1] == 32 || values[1] == 64 || values[1] == 128));
        return values[0] - values[1];
    };
    CHECK(fit(axes, middle(axes), on_grid).values == Values{26, 128});
}

TEST_CASE("An error that is cut off where it is known to be too large leads to the same values") {
    const std::vector<Axis> axes{{0, 16, Grid::kReal}, {0, 100, Grid::kWhole}};
    const FitError whole = distance_to({3.7, 81});
    int cut = 0;
    const FitError cut_off = [&](const Values& values, double enough) {
        const double first = std::abs(values[0] - 3.7);
        if (first < enough) return whole(values, enough);
        ++cut;
        return first;
    };
    CHECK(fit(axes, middle(axes), cut_off).values == fit(axes, middle(axes), whole).values);
    CHECK(cut > 0);
}

}  // namespace
