// SPDX-License-Identifier: Apache-2.0
// REQUIRE conditions of element-wise operators.
#include <algorithm>
#include <bit>
#include <limits>

#include "tests/kernels/operators/operator_run.h"
#include "tests/kernels/operators/require_trial.h"
#include "tests/support/catch.h"

namespace okksim::tests {

using tosa::Attributes;
using tosa::DType;
using tosa::NoAttributes;
using tosa::OpCode;

TEST_CASE("sums, differences and signs of int32 fit", "[require]") {
    const auto i32 = DType::kI32;
    check_result(binary(OpCode::kAdd, i32, kMost32 - 1, 1, i32), {kMost32});
    check_unpredictable(binary(OpCode::kAdd, i32, kMost32, 1, i32));
    check_result(binary(OpCode::kAdd, i32, kLeast32 + 1, -1, i32), {kLeast32});
    check_unpredictable(binary(OpCode::kAdd, i32, kLeast32, -1, i32));
    check_result(binary(OpCode::kSub, i32, -1, kMost32, i32), {kLeast32});
    check_unpredictable(binary(OpCode::kSub, i32, -2, kMost32, i32));
    check_result(binary(OpCode::kSub, i32, -1, kLeast32, i32), {kMost32});
    check_unpredictable(binary(OpCode::kSub, i32, 0, kLeast32, i32));
    check_result(unary(OpCode::kAbs, i32, kLeast32 + 1, i32), {kMost32});
    check_unpredictable(unary(OpCode::kAbs, i32, kLeast32, i32));
    const auto negate = [](std::int64_t value) {
        return Trial{OpCode::kNegate,
                     NoAttributes{},
                     {scalar(DType::kI32, value), scalar(DType::kI32, 0), scalar(DType::kI32, 0)},
                     DType::kI32,
                     {1}};
    };
    check_result(negate(kLeast32 + 1), {kMost32});
    check_unpredictable(negate(kLeast32));
}

TEST_CASE("quotients exist", "[require]") {
    const auto i32 = DType::kI32;
    check_result(binary(OpCode::kIntdiv, i32, kLeast32 + 1, -1, i32), {kMost32});
    check_unpredictable(binary(OpCode::kIntdiv, i32, kLeast32, -1, i32));
    check_result(binary(OpCode::kIntdiv, i32, 7, 1, i32), {7});
    check_unpredictable(binary(OpCode::kIntdiv, i32, 7, 0, i32));
}

TEST_CASE("shift amounts lie within their type", "[require]") {
    const tosa::ArithmeticRightShiftAttributes round{true};
    for (const DType type : {DType::kI8, DType::kI16, DType::kI32}) {
        const int bits = 8 * kernels::stored_bytes(type);
        const auto all = [&](std::int64_t amount) {
            return std::vector<Trial>{
                binary(OpCode::kArithmeticRightShift, type, 1, amount, type, round),
                binary(OpCode::kLogicalLeftShift, type, 2, amount, type),
                binary(OpCode::kLogicalRightShift, type, 1, amount, type)};
        };
        for (const Trial& trial : all(bits - 1)) check_result(trial, {0});
        for (const Trial& trial : all(bits)) check_unpredictable(trial);
        for (const Trial& trial : all(-1)) check_unpredictable(trial);
    }
}

TEST_CASE("shifted products fit int32", "[require]") {
    const auto multiply = [](std::int64_t a, std::int64_t b, std::int64_t shift) {
        Trial trial = binary(OpCode::kMul, DType::kI32, a, b, DType::kI32);
        trial.inputs.push_back(scalar(DType::kI8, shift));
        return trial;
    };
    // Shift 1: (2^32 - 2 + 1) >> 1 = 2^31 - 1, (2^32 - 1 + 1) >> 1 = 2^31.
    check_result(multiply(2, kMost32, 1), {kMost32});
    check_unpredictable(multiply(3, 1431655765, 1));
    // (-2^32 + 1) >> 1 = -2^31, (-2^32 - 2 + 1) >> 1 = -2^31 - 1.
    check_result(multiply(2, kLeast32, 1), {kLeast32});
    check_unpredictable(multiply(-6, 715827883, 1));
    // Shift 16: the least product that rounds up to 2^31 is 2^47 - 2^15.
    check_result(multiply(65536, kMost32, 16), {kMost32});
    check_unpredictable(multiply(8355840, 16843009, 16));
    // Shift 31: 2^62 >> 31 = 2^31; (2^62 - 2^31 + 2^30) >> 31 = 2^31 - 1.
    check_result(multiply(kLeast32, kLeast32 + 1, 31), {kMost32});
    check_unpredictable(multiply(kLeast32, kLeast32, 31));
    // From shift 32 on every product fits: 2^62 >> 32.
    check_result(multiply(kLeast32, kLeast32, 32), {1 << 30});
    // Without a shift the low 32 bits are the result.
    check_result(multiply(65536, 65536, 0), {0});
    check_unpredictable(multiply(1, 1, 64));
    check_unpredictable(multiply(1, 1, -1));
}

TEST_CASE("powers are defined", "[require]") {
    const auto power = [](float a, float b) {
        return binary(OpCode::kPow, DType::kFp32, std::bit_cast<std::int32_t>(a),
                      std::bit_cast<std::int32_t>(b), DType::kFp32);
    };
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const float least = std::numeric_limits<float>::min();
    const std::int64_t one = std::bit_cast<std::int32_t>(1.0f);
    check_result(power(0.0f, least), {0});
    check_result(power(-0.0f, 2.0f), {0});
    check_unpredictable(power(0.0f, 0.0f));
    check_unpredictable(power(0.0f, -least));
    check_unpredictable(power(-0.0f, -1.0f));
    check_result(power(least, 0.0f), {one});
    check_unpredictable(power(-least, 2.0f));
    check_result(power(1.0f, -std::numeric_limits<float>::max()), {one});
    for (const float bad : {kInfinity, -kInfinity, nan}) {
        check_unpredictable(power(bad, 1.0f));
        check_unpredictable(power(1.0f, bad));
    }
}

TEST_CASE("NaN has no integer", "[require]") {
    const auto cast = [](float value, DType out) {
        return unary(OpCode::kCast, DType::kFp32, std::bit_cast<std::int32_t>(value), out);
    };
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    for (const DType out : {DType::kI8, DType::kI16, DType::kI32}) {
        const std::int64_t most = (std::int64_t{1} << (8 * kernels::stored_bytes(out) - 1)) - 1;
        check_result(cast(kInfinity, out), {most});
        check_result(cast(-kInfinity, out), {-most - 1});
        check_unpredictable(cast(std::numeric_limits<float>::quiet_NaN(), out));
        check_unpredictable(cast(-std::numeric_limits<float>::quiet_NaN(), out));
    }
}

TEST_CASE("slopes of tables fit int16", "[require]") {
    const auto look_up = [](std::int64_t value, std::int64_t next) {
        Values table(513);
        table[10] = -2;
        table[11] = next;
        table[12] = 1000;
        return Trial{OpCode::kTable,
                     NoAttributes{},
                     {scalar(DType::kI16, value), vector(DType::kI16, table)},
                     DType::kI32,
                     {1}};
    };
    const std::int64_t met = -32768 + 10 * 128;
    check_result(look_up(met, 32765), {-2 * 128});
    check_unpredictable(look_up(met, 32766));
    // The last index of the steep slope.
    check_unpredictable(look_up(met + 127, 32766));
    // The condition is about the index that is looked up (1.12.5).
    check_result(look_up(met - 1, 32766), {-2 * 127});
    check_result(look_up(met + 128, 32766), {32766 * 128});
    check_result(look_up(-32768, 32766), {0});
    check_result(look_up(32767, 32766), {0});
}

TEST_CASE("inputs beside the steep slope of a reciprocal are defined", "[require]") {
    Values table;
    for (std::int64_t i = -256; i <= 256; ++i) {
        table.push_back(i == 0 ? 32767 : std::clamp<std::int64_t>(32768 / i, -32768, 32767));
    }
    const auto look_up = [&](const Values& values) {
        return Trial{OpCode::kTable,
                     NoAttributes{},
                     {vector(DType::kI16, values), vector(DType::kI16, table)},
                     DType::kI32,
                     {static_cast<std::int32_t>(values.size())}};
    };
    check_result(look_up({128, 129, -256, 32767}),
                 {32767 * 128, 32767 * 128 - 16383, -16384 * 128, 16384});
    check_unpredictable(look_up({128, 129, -128, 32767}));
    check_unpredictable(look_up({-1}));
}

}  // namespace okksim::tests
