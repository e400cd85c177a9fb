// SPDX-License-Identifier: Apache-2.0
#include "sim/lab/fidelity/int8_figure.h"
#include "tests/support/catch.h"

namespace {

using namespace okksim::sim::fidelity;

Int8Figure figure(double silicon, double unfitted, double simulated) {
    Int8Figure own;
    own.network = "net";
    own.silicon_ms = silicon;
    own.unfitted_ms = unfitted;
    own.simulated_ms = simulated;
    return own;
}

TEST_CASE("a network's time is predicted with what fits the others") {
    Int8Report report;
    // Twice the fitted number is exact for the first two, three times that number for the last.
    report.figures = {figure(12, 10, 11), figure(28, 20, 24), figure(46, 40, 42)};
    report.predict();
    // The prediction uses the first two.
    CHECK(report.figures[2].predicted_ms == Approx(44));
    // The prediction uses the others. A share changes the second by 4 of 28 and the last by 2 of
    // 46. An exact second one therefore costs least: a share of 2.
    CHECK(report.figures[0].predicted_ms == Approx(12).epsilon(0.01));
    // 1 / 12, 4 / 28 and 4 / 46.
    CHECK(report.mean_error(&Int8Figure::simulated_ms) ==
          Approx((1.0 / 12 + 1.0 / 7 + 2.0 / 23) / 3));
}

TEST_CASE("networks in int8 are met below the bar, not above it, and not when one did not run") {
    Int8Report report;
    report.figures = {figure(100, 100, 111.9)};
    CHECK(report.met());
    report.figures[0].simulated_ms = 112.1;
    CHECK_FALSE(report.met());
    report.figures[0].simulated_ms = 100;
    report.figures[0].error = "no such kernel";
    CHECK_FALSE(report.met());
}

}  // namespace
