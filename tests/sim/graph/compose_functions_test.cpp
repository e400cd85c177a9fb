// SPDX-License-Identifier: Apache-2.0
// The functions of sim/graph/compose against those of the C++ library, with every result of an
// operator rounded to fp32.
#include <cmath>
#include <limits>

#include "sim/graph/compose/float_functions.h"
#include "sim/graph/compose/integer_functions.h"
#include "tests/sim/graph/compose_support.h"
#include "tests/support/catch.h"

namespace okksim::tests {

namespace {

namespace compose = sim::graph::compose;
using Function = TensorIndex (*)(OperatorBuilder&, TensorIndex);
using Double = double (*)(double);

constexpr double kInf = std::numeric_limits<double>::infinity();
const double kNaN = std::nan("");

std::vector<double> rounded(std::vector<double> values) {
    for (double& x : values) x = static_cast<double>(static_cast<float>(x));
    return values;
}

/// Values of both signs from 1e-20 to `most`, and zeros.
std::vector<double> spread(double most) {
    std::vector<double> values{0, -0.0};
    for (double x = 1e-20; x < most; x *= 1.9) {
        values.push_back(x);
        values.push_back(-x);
    }
    values.push_back(most);
    values.push_back(-most);
    return rounded(values);
}

std::vector<double> with(std::vector<double> values, const std::vector<double>& others) {
    values.insert(values.end(), others.begin(), others.end());
    return values;
}

template <typename Of>
std::vector<double> map(const std::vector<double>& values, const Of& of) {
    std::vector<double> results;
    for (const double x : values) results.push_back(of(x));
    return results;
}

struct Case {
    const char* name;
    Function function;
    Double expected;
    std::vector<double> values;
    double absolute = 0;  ///< errors next to zeros of the function and below normal numbers
};

void check_cases(const std::vector<Case>& cases) {
    for (const Case& one : cases) {
        INFO(one.name);
        const Data result = evaluate_one({reals(one.values)}, [&](auto& ops, const Indices& x) {
            return one.function(ops, x[0]);
        });
        check_close(result, map(one.values, one.expected), 1e-5, one.absolute);
    }
}

double softplus(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }

/// Two operands, element by element.
Data binary(const std::vector<double>& x, const std::vector<double>& y, DType type,
            TensorIndex (*function)(OperatorBuilder&, TensorIndex, TensorIndex)) {
    Data a = reals(x), b = reals(y);
    a.type = b.type = type;
    return evaluate_one({a, b}, [&](auto& ops, const Indices& operands) {
        return function(ops, operands[0], operands[1]);
    });
}

template <typename Of>
std::vector<double> zip(const std::vector<double>& x, const std::vector<double>& y, const Of& of) {
    std::vector<double> results;
    for (std::size_t i = 0; i < x.size(); ++i) results.push_back(of(x[i], y[i]));
    return results;
}

double floor_modulo(double x, double y) {
    const double rest = std::fmod(x, y);
    return rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest;
}

constexpr double kTiny = 2e-38;  // next to the least normal number of fp32

}  // namespace

TEST_CASE("composed roots, exponentials and logarithms") {
    const std::vector<double> special{kInf, kNaN};
    check_cases({
        {"square_root", compose::square_root, std::sqrt, with(spread(1e38), special)},
        {"reciprocal", compose::reciprocal, [](double x) { return 1 / x; },
         with(spread(1e30), {kInf, -kInf, kNaN})},
        {"exponential_minus_one", compose::exponential_minus_one, std::expm1,
         with(spread(88), {kInf, -kInf, kNaN})},
        {"logarithm_of_one_plus", compose::logarithm_of_one_plus, std::log1p,
         with(spread(1e37), {-0.5, -0.999, -1, kInf, kNaN})},
        {"softplus", compose::softplus, softplus, with(spread(80), {100, -100, kInf, -kInf, kNaN}),
         kTiny},
    });
}

TEST_CASE("composed activation functions") {
    // Differences of nearly equal numbers have absolute errors: gelu's 1 + erf(x) below zero.
    check_cases({
        {"softsign", compose::softsign, [](double x) { return x / (1 + std::abs(x)); },
         with(spread(1e30), {kNaN})},
        {"gelu", compose::gelu, [](double x) { return x / 2 * (1 + std::erf(x / std::sqrt(2))); },
         with(spread(20), {kInf, kNaN}), 5e-7},
        {"gelu_tanh", compose::gelu_tanh,
         [](double x) {
             const double u = std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x);
             return x / (1 + std::exp(-2 * u));
         },
         with(spread(20), {kInf, kNaN}), 1e-30},
        {"silu", compose::silu, [](double x) { return x / (1 + std::exp(-x)); },
         with(spread(80), {kInf, kNaN}), kTiny},
        {"mish", compose::mish, [](double x) { return x * std::tanh(softplus(x)); },
         with(spread(80), {kInf, kNaN}), 1e-36},
        {"hard_swish", compose::hard_swish,
         [](double x) { return x * std::clamp(x / 6 + 0.5, 0.0, 1.0); },
         with(spread(1e30), {kInf, kNaN}), 1e-6},
        {"relu", compose::relu, [](double x) { return std::isnan(x) ? x : std::max(x, 0.0); },
         with(spread(1e30), {kInf, -kInf, kNaN})},
    });
}

TEST_CASE("composed activation functions with parameters") {
    const std::vector<double> values = with(spread(60), {kInf, -kInf, kNaN});
    const auto check = [&](const char* name, const auto& compose, const auto& expected,
                           double absolute = 0) {
        INFO(name);
        const Data result = evaluate_one(
            {reals(values)}, [&](auto& ops, const Indices& x) { return compose(ops, x[0]); });
        check_close(result, map(values, expected), 1e-5, absolute);
    };
    const auto elu = [](double x, double a) { return x > 0 ? x : a * std::expm1(x); };
    using compose::clip;
    check(
        "elu", [](auto& o, auto x) { return compose::elu(o, x, 1.5); },
        [&](double x) { return elu(x, 1.5); });
    check(
        "selu", [](auto& o, auto x) { return compose::selu(o, x, 1.67, 1.05); },
        [&](double x) { return 1.05 * elu(x, 1.67); });
    check(
        "celu", [](auto& o, auto x) { return compose::celu(o, x, 2); },
        [&](double x) { return x > 0 ? x : 2 * std::expm1(x / 2); });
    check(
        "celu below zero", [](auto& o, auto x) { return compose::celu(o, x, -2); },
        [&](double x) {
            if (std::isnan(x)) return x;
            return std::max(0.0, x) + std::min(0.0, -2 * std::expm1(x / -2.0));
        });
    for (const double alpha : {0.1, 1.7, -0.5}) {
        check(
            "leaky_relu", [=](auto& o, auto x) { return compose::leaky_relu(o, x, alpha); },
            [=](double x) { return x >= 0 ? x : alpha * x; });
    }
    check(
        "leaky_relu 0", [](auto& o, auto x) { return compose::leaky_relu(o, x, 0); },
        [](double x) { return std::isnan(x) ? x : std::max(x, 0.0); });
    check(
        "thresholded_relu", [](auto& o, auto x) { return compose::thresholded_relu(o, x, 0.5); },
        [](double x) { return x > 0.5 ? x : 0; });
    check(
        "shrink", [](auto& o, auto x) { return compose::shrink(o, x, 0.25, 0.5); },
        [](double x) { return x < -0.5  ? x + 0.25
                              : x > 0.5 ? x - 0.25
                                        : 0; });
    check(
        "soft shrink", [](auto& o, auto x) { return compose::shrink(o, x, 0.5, 0.5); },
        [](double x) {
            return std::isnan(x) ? x : x < -0.5 ? x + 0.5 : x > 0.5 ? x - 0.5 : 0;
        });
    check(
        "hard_sigmoid", [](auto& o, auto x) { return compose::hard_sigmoid(o, x, 0.2, 0.5); },
        [](double x) { return std::isnan(x) ? x : std::clamp(0.2 * x + 0.5, 0.0, 1.0); }, 1e-7);
    check(
        "clip", [](auto& o, auto x) { return clip(o, x, -0.5, 2.0); },
        [](double x) { return std::isnan(x) ? x : std::clamp(x, -0.5, 2.0); });
    check(
        "clip to an empty range", [](auto& o, auto x) { return clip(o, x, 3.0, 2.0); },
        [](double x) { return std::isnan(x) ? x : 2.0; });
    check(
        "clip above", [](auto& o, auto x) { return clip(o, x, 1.0, {}); },
        [](double x) { return std::isnan(x) ? x : std::max(x, 1.0); });
}

TEST_CASE("composed limits and slopes of run time") {
    const Data x = reals({-2, -0.5, 0, 1, 3});
    const auto limited = [](auto& ops, const Indices& v) {
        return compose::clip_at_run_time(ops, v[0], v[1], v[2]);
    };
    const Data low{DType::kFp32, {}, {1}}, high{DType::kFp32, {}, {0.5}};
    check_equal(evaluate_one({x, low, high}, limited), {0.5, 0.5, 0.5, 0.5, 0.5});
    const Data maps = random_reals({2, 3, 4}), slopes = random_reals({4});
    std::vector<double> wanted;
    for (std::size_t i = 0; i < 24; ++i) {
        const double v = maps.values[i];
        wanted.push_back(v > 0 ? v : v * slopes.values[i % 4]);
    }
    check_close(
        evaluate_one({maps, slopes},
                     [](auto& ops, const Indices& v) { return compose::prelu(ops, v[0], v[1]); }),
        wanted);
}

TEST_CASE("composed rounding, signs and tests") {
    const std::vector<double> values =
        rounded(with(spread(1e30), {0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 0.49999997, -0.49999997,
                                    3.4999998, 8388607.5, 8388609, 16777217, 2147483648.0,
                                    4194304.5, 4194303.5, kInf, -kInf, kNaN}));
    check_cases({
        {"round_half_even", compose::round_half_even, std::nearbyint, values},
        {"round_half_away", compose::round_half_away, std::round, values},
        {"truncate", compose::truncate, std::trunc, values},
        {"sign", compose::sign,
         [](double x) { return std::isnan(x) ? x : double(x > 0) - double(x < 0); }, values},
        {"negative", compose::negative, [](double x) { return -x; }, values},
        {"absolute", compose::absolute, [](double x) { return std::abs(x); }, values},
        {"is_nan", compose::is_nan, [](double x) { return double(std::isnan(x)); }, values},
        {"is_infinite",
         [](OperatorBuilder& ops, TensorIndex x) { return compose::is_infinite(ops, x); },
         [](double x) { return double(std::isinf(x)); }, values},
        {"is_infinite, negative",
         [](OperatorBuilder& ops, TensorIndex x) {
             return compose::is_infinite(ops, x, false, true);
         },
         [](double x) { return double(std::isinf(x) && x < 0); }, values},
        {"is_infinite, none",
         [](OperatorBuilder& ops, TensorIndex x) {
             return compose::is_infinite(ops, x, false, false);
         },
         [](double) { return 0.0; }, values},
    });
}

TEST_CASE("composed trigonometric and hyperbolic functions") {
    const std::vector<double> near_one{0.999, 0.9999999, -0.9999999, 0.3, 0.7, -0.6};
    check_cases({
        {"tan", compose::tan, std::tan, spread(1.5)},
        {"asin", compose::asin, std::asin, rounded(with(spread(1), with(near_one, {1.5, kNaN})))},
        {"acos", compose::acos, std::acos, rounded(with(spread(1), with(near_one, {-2, kNaN})))},
        {"atan", compose::atan, std::atan, with(spread(1e38), {kInf, -kInf, kNaN})},
        {"sinh", compose::sinh, std::sinh, with(spread(89), {kInf, -kInf, kNaN})},
        {"cosh", compose::cosh, std::cosh, with(spread(89), {kInf, -kInf, kNaN})},
        {"asinh", compose::asinh, std::asinh, with(spread(1e37), {kInf, -kInf, kNaN})},
        {"acosh", compose::acosh, std::acosh,
         rounded({1, 1.0000001, 1.0001, 1.5, 2, 10, 1e10, 1e37, 0.5, -3, kInf, kNaN})},
        {"atanh", compose::atanh, std::atanh,
         rounded(with(spread(0.99), with(near_one, {1, -1, 1.5, kNaN})))},
    });
}

TEST_CASE("composed quotients and remainders") {
    const std::vector<double> x =
        rounded({6, 7, -7, 7, -7, 0, 1, -1, 5.5, 0.3, 1e30, 49, 3, 1e6, kInf, 0, kNaN});
    const std::vector<double> y =
        rounded({3, 2, 2, -2, -2, 5, 0, 0, 1.5, 0.1, 1e-5, 49, kInf, 7, 2, 0, 1});
    const auto quotient = [](double a, double b) { return a / b; };
    check_close(binary(x, y, DType::kFp32, compose::divide), zip(x, y, quotient), 2e-7, 0);
    std::vector<double> a, b;
    for (int i = -30; i <= 30; ++i) {
        for (const double divisor : {1.0, 3.0, -3.0, 0.75, -7.0, 11.0}) {
            a.push_back(i * 0.75);
            b.push_back(divisor);
        }
    }
    check_equal(binary(a, b, DType::kFp32, compose::floor_modulo), zip(a, b, floor_modulo));
    check_equal(binary(a, b, DType::kFp32, compose::floor_divide),
                zip(a, b, [](double v, double w) { return std::floor(v / w); }));
    const auto c_modulo = [](double v, double w) { return std::fmod(v, w); };
    check_equal(binary(a, b, DType::kFp32, compose::c_modulo), zip(a, b, c_modulo));
    // The quotients of fp16 and bf16 are rounded once.
    const std::vector<double> halves{1, 2, 5, 60000}, thirds{3, 3, 7, 30000};
    check_equal(binary(halves, thirds, DType::kFp16, compose::divide),
                {0.333251953125, 0.66650390625, 0.71435546875, 2});
}

TEST_CASE("composed powers") {
    std::vector<double> x, y;
    for (const double base : {0.0, 0.5, 1.0, 1.5, 2.0, 10.0, -1.0, -1.5, -3.0, kInf, kNaN}) {
        for (const double exponent : {0.0, 1.0, 2.0, 3.0, -1.0, -2.0, 0.5, -0.5, 2.3, 10.0}) {
            if (std::isnan(base) && exponent == 0) continue;  // 1 in C++, NaN here
            x.push_back(base);
            y.push_back(exponent);
        }
    }
    const auto pow = [](double a, double b) { return std::pow(a, b); };
    check_close(binary(rounded(x), rounded(y), DType::kFp32, compose::power),
                zip(rounded(x), rounded(y), pow));
    const std::vector<double> bases = with(spread(30), {kInf, kNaN});
    for (const double exponent :
         {1.0, 2.0, 3.0, -1.0, -2.0, 5.0, 0.5, -0.5, 1.5, 2.5, 0.25, 0.3, -1.7, 16.0, -3.0}) {
        INFO("exponent " << exponent);
        std::vector<double> wanted = map(bases, [=](double v) {
            // The root keeps the sign of zero.
            return exponent == -0.5 ? 1 / std::sqrt(v) : std::pow(v, exponent);
        });
        for (double& v : wanted) {  // fp32 overflows, and small results become zero
            if (std::abs(v) > 3.4e38) v = std::copysign(kInf, v);
        }
        check_close(evaluate_one({reals(bases)},
                                 [=](auto& ops, const Indices& v) {
                                     return compose::power(ops, v[0], exponent);
                                 }),
                    wanted, 1e-5, kTiny);
    }
    check_equal(
        evaluate_one({reals({-2, 0, 3})},
                     [](auto& o, const Indices& v) { return compose::power(o, v[0], 0.0); }),
        {1, 1, 1});
}

TEST_CASE("composed functions of half precision round once") {
    const Data x = random_reals({200}, 4, DType::kFp16);
    const Data result =
        evaluate_one({x}, [](auto& ops, const Indices& v) { return compose::gelu(ops, v[0]); });
    CHECK(result.type == DType::kFp16);
    const auto gelu = [](double v) { return v / 2 * (1 + std::erf(v / std::sqrt(2))); };
    check_close(result, map(x.values, gelu), 0x1.01p-11, 1e-6);
}

TEST_CASE("composed functions of integers") {
    constexpr double kLeast = -2147483648.0;
    std::vector<double> x, y;
    for (const double a : {0.0, 1.0, -1.0, 7.0, -7.0, 6.0, -6.0, 2147483647.0, kLeast}) {
        for (const double b : {1.0, 2.0, -2.0, 3.0, -3.0, 7.0, -7.0, 2147483647.0, kLeast}) {
            x.push_back(a);
            y.push_back(b);
        }
    }
    using namespace compose;
    const DType type = DType::kI32;
    check_equal(binary(x, y, type, integer_divide),
                zip(x, y, [](double a, double b) { return std::trunc(a / b); }));
    check_equal(binary(x, y, type, integer_floor_divide),
                zip(x, y, [](double a, double b) { return std::floor(a / b); }));
    check_equal(binary(x, y, type, integer_floor_modulo),
                zip(x, y, [](double a, double b) { return okksim::tests::floor_modulo(a, b); }));
    check_equal(binary(x, y, type, integer_c_modulo),
                zip(x, y, [](double a, double b) { return std::fmod(a, b); }));
    // -128 / -1 is 128, whose low 8 bits are -128; -7 modulo 2 is 1.
    check_equal(binary({-128, -7}, {-1, 2}, DType::kI8, integer_divide), {-128, -3});
    check_equal(binary({-128, -7}, {3, 2}, DType::kI8, integer_floor_modulo), {1, 1});
    check_equal(binary({127, -128}, {1, 1}, DType::kI8, integer_add), {-128, -127});
    check_equal(binary({300, -2}, {300, 5}, DType::kI16, integer_multiply), {24464, -10});
}

TEST_CASE("composed powers, signs and shifts of integers") {
    using namespace compose;
    const DType type = DType::kI32;
    check_equal(binary({2, 3, -2, -3, 0, 5, 1, -1, -1, 7, 2, -2, 0, 10},
                       {10, 4, 3, 2, 0, 0, 1000, 1001, 1000, 1, -1, -3, 3, 9}, type, integer_power),
                {1024, 81, -8, 9, 1, 1, 1, -1, 1, 7, 0, 0, 0, 1e9});
    for (const int exponent : {0, 1, 2, 3, 5, 13, -1}) {
        const Data bases{type, {5}, {-2, -1, 0, 1, 3}};
        const Data result = evaluate_one({bases}, [=](auto& ops, const Indices& v) {
            return integer_power_of(ops, v[0], exponent);
        });
        std::vector<double> wanted;
        for (const double v : bases.values) {
            wanted.push_back(v == 0 && exponent < 0 ? 0 : std::trunc(std::pow(v, exponent)));
        }
        check_equal(result, wanted);
    }
    const auto unary = [&](DType of, std::vector<double> values, auto function) {
        Data x = reals(std::move(values));
        x.type = of;
        return evaluate_one({x}, [&](auto& ops, const Indices& v) { return function(ops, v[0]); });
    };
    check_equal(unary(type, {-5, 0, 9}, integer_sign), {-1, 0, 1});
    check_equal(unary(DType::kI8, {-128, 0, 9}, integer_sign), {-1, 0, 1});
    check_equal(unary(type, {-5, 0, 9}, integer_absolute), {5, 0, 9});
    check_equal(unary(type, {-5, 2147483647, -2147483648.0}, integer_negative),
                {5, -2147483647, -2147483648.0});
    check_equal(unary(DType::kI8, {-128, 5}, integer_negative), {-128, -5});
    check_equal(binary({1, 3, 1, -1}, {4, 31, 32, 1}, type, shift_left),
                {16, -2147483648.0, 0, -2});
    check_equal(binary({-1, 256, -1, 7}, {28, 4, 40, 0}, type, shift_right_unsigned),
                {15, 16, 0, 7});
    check_equal(binary({-16, 256, -1, 7}, {2, 4, 40, 31}, type, shift_right_signed),
                {-4, 16, -1, 0});
    check_equal(binary({1, -1, 64}, {7, 8, 1}, DType::kI8, shift_left), {-128, 0, -128});
    const Data a{DType::kI8, {2}, {-5, 7}}, b{DType::kI8, {1}, {1}}, c{DType::kI8, {2}, {0, 100}};
    check_equal(
        evaluate_one({a, b, c}, [](auto& ops, const Indices& v) { return maximum_of(ops, v); }),
        {1, 100});
    check_equal(
        evaluate_one({a, b, c}, [](auto& ops, const Indices& v) { return minimum_of(ops, v); }),
        {-5, 1});
}

}  // namespace okksim::tests
