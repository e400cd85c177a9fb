// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "sim/zoo/network_builder.h"
#include "tests/support/catch.h"

namespace {

using namespace okksim::sim::zoo;

TEST_CASE("RESCALE factors are multipliers of 31 bits", "[zoo]") {
    // 1 = 2^30 / 2^30; 3/4 = (3/4 2^31) / 2^31; 128 = 2^30 / 2^23.
    CHECK(scaling_of(1.0).multiplier == 1 << 30);
    CHECK(scaling_of(1.0).shift == 30);
    CHECK(scaling_of(0.75).multiplier == 3 << 29);
    CHECK(scaling_of(0.75).shift == 31);
    CHECK(scaling_of(128.0).shift == 23);
    // The next number below 1 rounds up to 2^31, which is 2^30 with one less shift.
    CHECK(scaling_of(std::nextafter(1.0, 0.0)).multiplier == 1 << 30);
    CHECK(scaling_of(std::nextafter(1.0, 0.0)).shift == 30);
}

TEST_CASE("fp16 constants are rounded to nearest even", "[zoo]") {
    CHECK(to_fp16(1.0) == 0x3C00);
    CHECK(to_fp16(-2.0) == 0xC000);
    CHECK(to_fp16(65504.0) == 0x7BFF);
    CHECK(to_fp16(std::ldexp(1.0, -24)) == 0x0001);              // least subnormal
    CHECK(to_fp16(std::ldexp(1.0, -14)) == 0x0400);              // least normal
    CHECK(to_fp16(1.0 + std::ldexp(1.0, -11)) == 0x3C00);        // tie to even
    CHECK(to_fp16(1.0 + 3.0 * std::ldexp(1.0, -11)) == 0x3C02);  // tie to even
    CHECK(to_fp16(2.0 - std::ldexp(1.0, -12)) == 0x4000);        // carries into the exponent
}

TEST_CASE("Ranges of int8 hold zero exactly", "[zoo]") {
    const Quantisation rectified = quantise_range({0.0, 5.1});
    CHECK(rectified.zero_point == -128);
    CHECK(rectified.scale == Approx(0.02));  // 5.1 / 255
    CHECK(rectified.quantise(6.0) == 127);
    const Quantisation both = quantise_range({-1.27, 1.28});
    CHECK(both.zero_point == -1);  // -128 + 127
    CHECK(both.quantise(0.5) == 49);
}

TEST_CASE("Moments of rectified normal numbers", "[zoo]") {
    // E[max(x, 0)] = 1 / sqrt(2 pi), E[max(x, 0)^2] = 1/2.
    const Moments half = through(Activation::kRelu, {0.0, 1.0});
    CHECK(half.mean == Approx(0.398942).epsilon(1e-4));
    CHECK(half.square() == Approx(0.5).epsilon(1e-4));
}

TEST_CASE("Windows have exact output sizes", "[zoo]") {
    // 7x7 with stride 2 on 224: 112 outputs span 111 * 2 + 7 = 229 positions, 5 of padding.
    const Window stem = window(224, 7, 2);
    CHECK(stem.size == 112);
    CHECK(stem.before == 3);
    CHECK(stem.after == 2);
    // 1x1 with stride 2 on 56: 28 outputs span 55 positions; the last one is not read.
    const Window shortcut = window(56, 1, 2);
    CHECK(shortcut.size == 28);
    CHECK(shortcut.before == 0);
    CHECK(shortcut.after == -1);
}

TEST_CASE("Seeded numbers have mean 0 and variance 1", "[zoo]") {
    Random random(7, 3), same(7, 3), other(7, 4);
    CHECK(random.bits() == same.bits());
    CHECK(same.bits() != other.bits());
    double sum = 0.0, squares = 0.0;
    constexpr int kCount = 100000;
    for (int i = 0; i < kCount; ++i) {
        const double x = random.normal();
        sum += x;
        squares += x * x;
    }
    // Deviations of the means: 1 / sqrt(n) = 0.003, and less than sqrt(2 / n) = 0.0045.
    CHECK(std::abs(sum / kCount) < 0.015);
    CHECK(squares / kCount == Approx(1.0).margin(0.02));
}

}  // namespace
