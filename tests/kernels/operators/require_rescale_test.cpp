// SPDX-License-Identifier: Apache-2.0
// REQUIRE conditions of RESCALE.

#include "tests/kernels/operators/require_trial.h"
#include "tests/support/catch.h"

namespace okksim::tests {

using tosa::DType;
using tosa::OpCode;

namespace {

struct Scaling {
    DType in, out;
    bool scale32 = true;
    std::vector<std::int64_t> multipliers, shifts;
    std::int64_t output_zero = 0;
    std::int64_t input_zero = 0;
    bool double_round = false;
};

/// Values, one for each factor.
Trial rescale(const Scaling& scaling, const Values& values) {
    tosa::RescaleAttributes attributes;
    attributes.scale32 = scaling.scale32;
    attributes.rounding_mode =
        scaling.double_round ? tosa::RoundingMode::kDoubleRound : tosa::RoundingMode::kSingleRound;
    attributes.per_channel = scaling.multipliers.size() > 1;
    return {OpCode::kRescale,
            attributes,
            {vector(scaling.in, values),
             vector(scaling.scale32 ? DType::kI32 : DType::kI16, scaling.multipliers),
             vector(DType::kI8, scaling.shifts), scalar(scaling.in, scaling.input_zero),
             scalar(scaling.out, scaling.output_zero)},
            scaling.out,
            {static_cast<std::int32_t>(values.size())}};
}

}  // namespace

TEST_CASE("values that apply_scale_32 scales lie within their shift", "[require]") {
    // Shift 2: -2 .. 1. (1 * 4 + 2) >> 2 = 1, (-2 * 4 + 2) >> 2 = -2.
    for (const DType type : {DType::kI8, DType::kI16, DType::kI32}) {
        const Scaling scaling{type, DType::kI32, true, {4}, {2}};
        check_result(rescale(scaling, {1}), {1});
        check_result(rescale(scaling, {-2}), {-2});
        check_unpredictable(rescale(scaling, {2}));
        check_unpredictable(rescale(scaling, {-3}));
    }
    // Less the zero point; shift 8: -128 .. 127, and so does 2^7 * 2^8 >> 8.
    Scaling zero{DType::kI8, DType::kI32, true, {256}, {8}, 0, -1};
    check_result(rescale(zero, {126}), {127});
    check_unpredictable(rescale(zero, {127}));
    // Shift 31: -2^30 .. 2^30 - 1.
    const Scaling wide{DType::kI32, DType::kI32, true, {1 << 30}, {31}};
    check_result(rescale(wide, {(1 << 30) - 1}), {1 << 29});
    check_unpredictable(rescale(wide, {1 << 30}));
    check_result(rescale(wide, {-(1 << 30)}), {-(1 << 29)});
    check_unpredictable(rescale(wide, {-(1 << 30) - 1}));
    // Shift 32 takes every int32.
    check_result(rescale({DType::kI32, DType::kI32, true, {1 << 30}, {32}}, {kLeast32}),
                 {-(1 << 29)});
    // Every channel has its own range.
    const Scaling channels{DType::kI32, DType::kI8, true, {1, 1, 1}, {40, 10, 20}, 0, 0, true};
    check_result(rescale(channels, {kLeast32, 511, -(1 << 19)}), {0, 0, 0});
    check_unpredictable(rescale(channels, {kLeast32, 512, 0}));
    check_unpredictable(rescale(channels, {kLeast32, 0, -(1 << 19) - 1}));
}

TEST_CASE("results of apply_scale_16 and their zero points fit int32", "[require]") {
    // Shift 2, multiplier 4: the value itself; to int8 it is clamped.
    for (const DType in : {DType::kI32, DType::kI48}) {
        const Scaling same{in, DType::kI8, false, {4}, {2}};
        check_result(rescale(same, {kMost32}), {127});
        check_result(rescale(same, {kLeast32}), {-128});
        if (in == DType::kI32) continue;
        check_unpredictable(rescale(same, {kMost32 + 1}));
        check_unpredictable(rescale(same, {kLeast32 - 1}));
    }
    // The zero point is added to the result.
    const Scaling up{DType::kI32, DType::kI8, false, {4}, {2}, 127};
    check_result(rescale(up, {kMost32 - 127}), {127});
    check_unpredictable(rescale(up, {kMost32 - 126}));
    const Scaling down{DType::kI32, DType::kI8, false, {4}, {2}, -128};
    check_result(rescale(down, {kLeast32 + 128}), {-128});
    check_unpredictable(rescale(down, {kLeast32 + 127}));
    // (value * 3 + 4) >> 3 <= 2^31 - 1 holds up to value * 3 = 2^34 - 5, value 5726623059 (2^34 - 5
    // is 3 * 5726623059 + 2). The lower limit -2^31 holds from value * 3 = -2^34 - 4, value
    // -5726623062.
    const Scaling third{DType::kI48, DType::kI32, false, {3}, {3}};
    check_result(rescale(third, {5726623059}), {kMost32});
    check_unpredictable(rescale(third, {5726623060}));
    check_result(rescale(third, {-5726623062}), {kLeast32});
    check_unpredictable(rescale(third, {-5726623063}));
    // Per channel: 2^47 * (2^15 - 1) >> 31 = 2^31 - 2^16; a shift of 30 takes half of that.
    const Scaling channels{DType::kI48, DType::kI16, false, {32767, 32767, 1}, {31, 30, 2}};
    check_result(rescale(channels, {kMost48, std::int64_t{1} << 46, kMost32}),
                 {32767, 32767, 32767});
    check_unpredictable(rescale(channels, {0, kMost48, 0}));
    check_unpredictable(rescale(channels, {0, 0, kMost48}));
    check_result(rescale(channels, {kLeast48, -(std::int64_t{1} << 46), kLeast32}),
                 {-32768, -32768, -32768});
}

TEST_CASE("multipliers and shifts of RESCALE are in range", "[require]") {
    for (const bool scale32 : {false, true}) {
        const auto factor = [&](std::int64_t multiplier, std::int64_t shift) {
            return rescale({DType::kI8, DType::kI8, scale32, {multiplier}, {shift}}, {1});
        };
        check_result(factor(0, 2), {0});
        check_result(factor(0, 62), {0});
        check_unpredictable(factor(-1, 10));
        check_unpredictable(factor(1, 1));
        check_unpredictable(factor(1, 63));
    }
}

}  // namespace okksim::tests
