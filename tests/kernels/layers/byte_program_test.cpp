// SPDX-License-Identifier: Apache-2.0
// int8 functions as fp32 commands: exact, or refused.
#include "kernels/layers/byte_program.h"

#include <array>
#include <cmath>
#include <numeric>

#include "kernels/layers/function_value.h"
#include "tests/support/catch.h"
#include "tests/support/random_source.h"

namespace {

using namespace okksim::kernels;
using namespace okksim::kernels::layers;
using okksim::tests::RandomSource;

/// (value * multiplier + 2^(shift - 1)) >> shift, as in the specification.
std::int64_t scaled(std::int64_t value, const prim::ScaleFactor& factor) {
    __extension__ using Int128 = __int128;
    return static_cast<std::int64_t>(
        (Int128{value} * factor.multiplier + (Int128{1} << (factor.shift - 1))) >> factor.shift);
}

/// A factor near `scale` with a full multiplier.
prim::ScaleFactor factor_of(double scale) {
    int exponent = 0;
    const double fraction = std::frexp(scale, &exponent);
    return {static_cast<std::int32_t>(std::ldexp(fraction, 31)), 31 - exponent};
}

std::vector<std::int32_t> table_of(double (*function)(double)) {
    std::vector<std::int32_t> results;
    for (int value = -128; value < 128; ++value) {
        results.push_back(std::clamp(static_cast<std::int32_t>(std::lround(function(value))),
                                     kLowestByte, kHighestByte));
    }
    return results;
}

void check_table(const std::vector<std::int32_t>& results, std::int32_t input_offset,
                 std::int32_t output_offset, std::size_t most_pieces) {
    const auto program = table_program(results, input_offset, output_offset);
    REQUIRE(program.has_value());
    CHECK(program->pieces.size() <= most_pieces);
    for (int value = -128; value < 128; ++value) {
        const auto map = static_cast<float>(value - input_offset);
        CHECK(function_value(*program, {&map, 1}) ==
              static_cast<float>(results[static_cast<std::size_t>(value + 128)] - output_offset));
    }
}

}  // namespace

TEST_CASE("sums are scaled exactly, near ties and at the ends of what fp32 holds") {
    RandomSource random(1);
    int settled = 0;
    for (int i = 0; i < 300; ++i) {
        // One unit of the result is 2^5.9 to 2^16 units of a sum.
        const double scale = std::exp2(-static_cast<double>(random.between(590, 1600)) / 100);
        const prim::ScaleFactor factor = factor_of(scale);
        const auto zero = static_cast<std::int32_t>(random.pick({-128, -7, 0, 13}));
        const auto offset = static_cast<std::int32_t>(random.pick({0, -128, 5}));
        const auto program =
            scale_program({&factor, 1}, prim::ScaleRounding::kSingle, {-128, 127, zero}, offset);
        CAPTURE(factor.multiplier, factor.shift, zero, offset);
        REQUIRE(program.has_value());
        settled += program->kind == ByteProgramKind::kSettled ? 1 : 0;
        const auto check = [&](std::int64_t sum) {
            const std::int64_t exact =
                std::clamp<std::int64_t>(scaled(sum, factor) + zero, -128, 127);
            CAPTURE(sum);
            CHECK(scaled_value(*program, 0, static_cast<float>(sum)) ==
                  static_cast<float>(exact - offset));
        };
        for (const std::int64_t end : {std::int64_t{1} << 24, std::int64_t{-1} << 24}) check(end);
        for (int k = -130; k <= 130; ++k) {
            // The sums on both sides of the tie below k.
            const auto tie = static_cast<std::int64_t>(
                (static_cast<double>(k) - 0.5) * std::ldexp(1.0, factor.shift) / factor.multiplier);
            for (std::int64_t sum = tie - 2; sum <= tie + 2; ++sum) {
                if (std::abs(sum) <= (std::int64_t{1} << 24)) check(sum);
            }
        }
    }
    CHECK(settled > 50);
    CHECK(settled < 290);
}

TEST_CASE("ties go up") {
    // Half of odd sums: 1/2 to 1, -1/2 to 0, 127/2 to 64.
    const prim::ScaleFactor half{1 << 30, 31};
    const auto program = scale_program({&half, 1}, prim::ScaleRounding::kSingle, {-128, 127, 0}, 0);
    REQUIRE(program.has_value());
    CHECK(scaled_value(*program, 0, 1) == 1);
    CHECK(scaled_value(*program, 0, -1) == 0);
    CHECK(scaled_value(*program, 0, 127) == 64);
    CHECK(scaled_value(*program, 0, -3) == -1);
}

TEST_CASE("scales so small that every sum is zero give the zero point") {
    // 2^24 sums of either sign times 2^-26 are a quarter.
    for (const prim::ScaleFactor factor :
         {prim::ScaleFactor{1, 26}, prim::ScaleFactor{1, 31}, prim::ScaleFactor{3, 40},
          prim::ScaleFactor{INT32_MAX, 62}}) {
        for (const std::int32_t zero : {-128, 0, 36, 127}) {
            CAPTURE(factor.multiplier, factor.shift, zero);
            const auto program =
                scale_program({&factor, 1}, prim::ScaleRounding::kSingle, {-128, 127, zero}, 0);
            if (!program) continue;  // base instructions suffice
            for (const float sum : {-16777216.0f, -127.0f, 0.0f, 1.0f, 16777216.0f}) {
                CAPTURE(sum);
                CHECK(scaled_value(*program, 0, sum) == static_cast<float>(zero));
            }
        }
    }
    const prim::ScaleFactor tiny{1, 31};
    CHECK(scale_program({&tiny, 1}, prim::ScaleRounding::kSingle, {-128, 127, 36}, 0).has_value());
}

TEST_CASE("rounding twice has no program where the second step is one") {
    const prim::ScaleFactor factor{1 << 30, 40};
    CHECK(!scale_program({&factor, 1}, prim::ScaleRounding::kDouble, {-128, 127, 0}, 0));
    const prim::ScaleFactor once{1 << 30, 31};
    CHECK(scale_program({&once, 1}, prim::ScaleRounding::kDouble, {-128, 127, 0}, 0));
}

TEST_CASE("smooth tables are few straight pieces") {
    // A straight line needs no knot. The chord of a curve f deviates from it by width^2 f'' / 8. A
    // tolerance of half a unit on both sides allows about 20 knots on 120 tanh(x / 30).
    check_table(table_of([](double x) { return x * 0.37 - 4; }), 0, 0, 0);
    check_table(table_of([](double x) { return 120 * std::tanh(x / 30); }), -7, 3, 22);
    check_table(table_of([](double x) { return x / (1 + std::exp(-x / 16)); }), -128, -128, 16);
    check_table(std::vector<std::int32_t>(256, 17), 0, 0, 0);
}

TEST_CASE("a table of noise has no program") {
    RandomSource random(2);
    std::vector<std::int32_t> results;
    for (int i = 0; i < 256; ++i) {
        results.push_back(static_cast<std::int32_t>(random.between(-128, 127)));
    }
    CHECK(!table_program(results, 0, 0));
}

TEST_CASE("a rescaled sum of two bytes is exact for all pairs") {
    const prim::ScaleFactor first = factor_of(0.6137 * (1 << 20)),
                            second = factor_of(0.5712 * (1 << 20)),
                            last = factor_of(1.3071 / (1 << 20));
    constexpr std::int32_t kZero = -7;
    PairFunction function;
    function.exact = [&](std::int32_t a, std::int32_t b) {
        const std::int64_t sum = scaled(a - kZero, first) + scaled(b - kZero, second);
        return static_cast<std::int32_t>(
            std::clamp<std::int64_t>(scaled(sum, last) + kZero, -128, 127));
    };
    const auto scale = [](const prim::ScaleFactor& factor) {
        return std::ldexp(static_cast<double>(factor.multiplier), -factor.shift);
    };
    function.factors[0] = scale(first) * scale(last);
    function.factors[1] = scale(second) * scale(last);
    const std::array<std::int32_t, 2> offsets{-7, 0};
    const auto program = pair_program(function, offsets, kZero);
    REQUIRE(program.has_value());
    int wrong = 0;
    for (std::int32_t a = kLowestByte; a <= kHighestByte; ++a) {
        for (std::int32_t b = kLowestByte; b <= kHighestByte; ++b) {
            const std::array<float, 2> maps{static_cast<float>(a - offsets[0]),
                                            static_cast<float>(b - offsets[1])};
            const auto exact = static_cast<float>(function.exact(a, b) - kZero);
            wrong += function_value(*program, maps) == exact ? 0 : 1;
        }
    }
    CHECK(wrong == 0);
}
