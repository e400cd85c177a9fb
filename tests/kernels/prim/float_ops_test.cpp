// SPDX-License-Identifier: Apache-2.0
#include "kernels/prim/float_ops.h"

#include <algorithm>
#include <cmath>

#include "kernels/prim/raw.h"
#include "tests/kernels/prim/prim_test_values.h"
#include "tests/support/catch.h"
#include "tests/support/kernel_fixture.h"

namespace okksim::tests {
namespace {

using namespace kernels::prim;
using Sources = std::span<const LocalTensor>;

std::pair<Words, Words> float_pairs() {
    std::pair<Words, Words> pairs;
    for (const std::uint32_t a : edge_floats()) {
        for (const std::uint32_t b : edge_floats()) {
            pairs.first.push_back(a);
            pairs.second.push_back(b);
        }
    }
    RandomSource random(31);
    for (int i = 0; i < 20000; ++i) {
        const auto a = static_cast<std::uint32_t>(random.bits());
        pairs.first.push_back(a);
        pairs.second.push_back(random.one_in(4) ? a + static_cast<std::uint32_t>(random.below(3))
                                                : static_cast<std::uint32_t>(random.bits()));
    }
    return pairs;
}

/// Replaces denormals by zero, as the machine reads operands.
float flushed(std::uint32_t bits) {
    return (bits & 0x7F800000u) == 0 ? std::copysign(0.0f, as_float(bits)) : as_float(bits);
}

bool same_value(float a, float b) { return (std::isnan(a) && std::isnan(b)) || a == b; }

TEST_CASE("fp32 comparisons", "[prim]") {
    const auto [a, b] = float_pairs();
    const Words columns[] = {a, b};
    const Applied greater_equal =
        apply([](auto& d, Sources s, auto& w) { greater_equal_float(d, s[0], s[1], 1, w); },
              kFloatComparePlanes, columns);
    CHECK(greater_equal.commands == kFloatGreaterEqualCommands);
    const Applied equal =
        apply([](auto& d, Sources s, auto& w) { equal_float(d, s[0], s[1], 1, w); },
              kFloatComparePlanes, columns);
    CHECK(equal.commands == kFloatEqualCommands);
    for (std::size_t i = 0; i < a.size(); ++i) {
        CAPTURE(a[i], b[i]);
        REQUIRE(greater_equal.words[i] == (flushed(a[i]) >= flushed(b[i]) ? 1u : 0u));
        REQUIRE(equal.words[i] == (flushed(a[i]) == flushed(b[i]) ? 1u : 0u));
    }
}

TEST_CASE("fp32 extrema and clamp treat NaN by mode", "[prim]") {
    const auto [a, b] = float_pairs();
    const Words columns[] = {a, b};
    for (const NanMode mode : {NanMode::kPropagate, NanMode::kIgnore}) {
        const Applied highest =
            apply([mode](auto& d, Sources s, auto& w) { maximum_float(d, s[0], s[1], mode, w); },
                  kFloatMinMaxPlanes, columns);
        const Applied lowest =
            apply([mode](auto& d, Sources s, auto& w) { minimum_float(d, s[0], s[1], mode, w); },
                  kFloatMinMaxPlanes, columns);
        const Applied clamped = apply(
            [mode](auto& d, Sources s, auto& w) { clamp_float(d, s[0], -1.5f, 6.0f, mode, w); },
            kClampPlanes, columns);
        for (std::size_t i = 0; i < a.size(); ++i) {
            const float x = flushed(a[i]);
            const float y = flushed(b[i]);
            const bool any_nan = std::isnan(x) || std::isnan(y);
            float maximum = std::isnan(x) ? y : std::isnan(y) ? x : std::max(x, y);
            float minimum = std::isnan(x) ? y : std::isnan(y) ? x : std::min(x, y);
            float clamp = std::isnan(x) ? -1.5f : std::fmin(std::fmax(x, -1.5f), 6.0f);
            if (mode == NanMode::kPropagate) {
                if (any_nan) maximum = minimum = NAN;
                if (std::isnan(x)) clamp = NAN;
            }
            CAPTURE(a[i], b[i]);
            REQUIRE(same_value(flushed(highest.words[i]), maximum));
            REQUIRE(same_value(flushed(lowest.words[i]), minimum));
            REQUIRE(same_value(as_float(clamped.words[i]), clamp));
        }
    }
}

TEST_CASE("Rounding to integers keeps signs, infinities and NaN", "[prim]") {
    auto [a, b] = float_pairs();
    RandomSource random(32);
    for (int i = 0; i < 20000; ++i) {
        a.push_back(as_bits(static_cast<float>(random.between(-100000, 100000)) / 16.0f));
    }
    const Words columns[] = {a};
    const struct {
        void (*primitive)(const LocalTensor&, const LocalTensor&, Scratch&);
        float (*reference)(float);
        std::uint64_t commands;
    } kCases[] = {
        {round_even, std::nearbyint, 6}, {round_down, std::floor, 9}, {round_up, std::ceil, 9}};
    for (const auto& each : kCases) {
        const Applied applied =
            apply([&](auto& d, Sources s, auto& w) { each.primitive(d, s[0], w); }, kRoundPlanes,
                  columns);
        CHECK(applied.commands == each.commands);
        for (std::size_t i = 0; i < a.size(); ++i) {
            const float expected = each.reference(flushed(a[i]));
            CAPTURE(a[i], each.commands);
            REQUIRE(same_value(as_float(applied.words[i]), expected));
            if (!std::isnan(expected)) {
                REQUIRE(std::signbit(as_float(applied.words[i])) == std::signbit(expected));
            }
        }
    }
}

}  // namespace
}  // namespace okksim::tests
