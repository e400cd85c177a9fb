// SPDX-License-Identifier: Apache-2.0
// Floating-point operators of sections 2.4 to 2.8 against double precision and the specification's
// tables for infinities, zeros and NaN.
#include <bit>
#include <cmath>
#include <cstring>

#include "tests/kernels/operators/float_values.h"
#include "tests/kernels/operators/pointwise_case.h"

namespace okksim::tests {
namespace {

using tosa::Attributes;
using tosa::DType;
using tosa::NanPropagationMode;
using tosa::NoAttributes;
using tosa::OpCode;

constexpr int kRounds = 12;
constexpr DType kTypes[] = {DType::kFp32, DType::kFp16, DType::kBf16};
constexpr double kInfinity = std::numeric_limits<double>::infinity();

RandomOperand floats(DType type) {
    return {type, [type](RandomSource& random) { return random_float_bits(type, random); }};
}

/// True for results that the specification allows: the exact value, or one within the error
/// `bound`.
bool allowed(DType type, double got, double expected, double bound) {
    if (std::isnan(expected)) return std::isnan(got);
    if (std::isnan(got)) return false;
    // A value that rounds up to the smallest normal number was subnormal before rounding.
    if (std::abs(expected) <= format_of(type).least_normal() && got == 0) return true;
    if (got == expected) return true;
    const double largest = format_of(type).largest();
    const double high = expected + bound > largest ? kInfinity : expected + bound;
    const double low = expected - bound < -largest ? -kInfinity : expected - bound;
    return low <= got && got <= high;
}

using Function = std::function<double(const std::vector<double>&)>;

/// Subnormals of fp32 and bf16 as seen by an operator: flushed to zero, or kept.
enum class Subnormals { kFlushed, kKept };

/// Compares random runs with `reference`, a function of the operands as doubles; `bound` is the
/// allowed error for the first operand and the exact result.
void check_function(OpCode op, const Attributes& attributes,
                    const std::vector<RandomOperand>& operands, std::uint64_t seed,
                    const Function& reference,
                    const std::function<double(double x, double exact)>& bound,
                    bool checks_zero_sign = false, Subnormals subnormals = Subnormals::kFlushed) {
    RandomSource random(seed);
    const DType type = operands[0].type;
    for (int round = 0; round < kRounds; ++round) {
        const PointwiseRun run = run_random(op, attributes, operands, type, random);
        std::size_t wrong = 0;
        std::string first;
        for (std::size_t i = 0; i < run.output.size(); ++i) {
            std::vector<double> values;
            for (const Values& operand : run.operands) {
                const double value = decode_float(type, operand[i]);
                values.push_back(subnormals == Subnormals::kKept ? value : flushed(type, value));
            }
            const double exact = reference(values);
            const double expected = round_float(type, exact);
            const double got = decode_float(type, run.output[i]);
            const bool sign_wrong = checks_zero_sign && expected == 0 && got == 0 && exact == 0 &&
                                    std::signbit(expected) != std::signbit(got);
            if (allowed(type, got, expected, bound(values[0], exact)) && !sign_wrong) continue;
            if (wrong++ > 0) continue;
            first = std::to_string(values[0]) + " (" + std::to_string(run.operands[0][i]) +
                    "): expected " + std::to_string(expected) + ", got " + std::to_string(got);
        }
        INFO(tosa::op_name(op) << " " << tosa::dtype_name(type) << " round " << round << " "
                               << first);
        CHECK(wrong == 0);
    }
}

double exactly(double, double) { return 0; }

double as_float(double value) { return static_cast<double>(static_cast<float>(value)); }

tosa::ElementBytes element(std::int64_t bits, DType type) {
    tosa::ElementBytes bytes;
    bytes.size = static_cast<std::uint32_t>(kernels::stored_bytes(type));
    std::memcpy(bytes.bytes.data(), &bits, bytes.size);
    return bytes;
}

bool either_nan(const std::vector<double>& v) { return std::isnan(v[0]) || std::isnan(v[1]); }

}  // namespace

TEST_CASE("arithmetic on two floats is rounded once") {
    for (const DType type : kTypes) {
        const std::vector<RandomOperand> two{floats(type), floats(type)};
        // Sums and products of fp32 are rounded by the host's fp32; for shorter types, the
        // intermediate fp32 result does not change the rounding.
        check_function(
            OpCode::kAdd, NoAttributes{}, two, 1,
            [](const auto& v) { return as_float(v[0] + v[1]); }, exactly);
        check_function(
            OpCode::kSub, NoAttributes{}, two, 2,
            [](const auto& v) { return as_float(v[0] - v[1]); }, exactly);
    }
    // MUL has a third operand.
    RandomSource random(3);
    for (int round = 0; round < kRounds; ++round) {
        const DType type = random.element(kTypes);
        const auto run = run_random(OpCode::kMul, NoAttributes{}, {floats(type), floats(type)},
                                    type, random, [](const Dims&) {
                                        return std::vector<ConstantOperand>{{DType::kI8, {0}}};
                                    });
        bool right = true;
        for (std::size_t i = 0; i < run.output.size(); ++i) {
            const double a = flushed(type, decode_float(type, run.operands[0][i]));
            const double b = flushed(type, decode_float(type, run.operands[1][i]));
            right = right &&
                    allowed(type, decode_float(type, run.output[i]), round_float(type, a * b), 0);
        }
        CHECK(right);
    }
}

TEST_CASE("extrema and comparisons of floats") {
    for (const DType type : kTypes) {
        const std::vector<RandomOperand> two{floats(type), floats(type)};
        for (const auto mode : {NanPropagationMode::kPropagate, NanPropagationMode::kIgnore}) {
            const bool ignores = mode == NanPropagationMode::kIgnore;
            const auto with_nan = [ignores](const std::vector<double>& v) {
                return ignores ? (std::isnan(v[0]) ? v[1] : v[0]) : std::nan("");
            };
            check_function(
                OpCode::kMaximum, tosa::MaximumAttributes{mode}, two, 11,
                [&](const auto& v) { return either_nan(v) ? with_nan(v) : std::max(v[0], v[1]); },
                exactly, false, Subnormals::kKept);
            check_function(
                OpCode::kMinimum, tosa::MinimumAttributes{mode}, two, 12,
                [&](const auto& v) { return either_nan(v) ? with_nan(v) : std::min(v[0], v[1]); },
                exactly, false, Subnormals::kKept);
        }
        RandomSource random(13);
        for (const OpCode op : {OpCode::kEqual, OpCode::kGreater, OpCode::kGreaterEqual}) {
            const auto run = run_random(op, NoAttributes{}, two, DType::kBool, random);
            bool right = true;
            for (std::size_t i = 0; i < run.output.size(); ++i) {
                const double a = flushed(type, decode_float(type, run.operands[0][i]));
                const double b = flushed(type, decode_float(type, run.operands[1][i]));
                const bool expected = op == OpCode::kEqual     ? a == b
                                      : op == OpCode::kGreater ? a > b
                                                               : a >= b;
                right = right && run.output[i] == (expected ? 1 : 0);
            }
            INFO(tosa::op_name(op) << " " << tosa::dtype_name(type));
            CHECK(right);
        }
    }
}

TEST_CASE("clamp of floats") {
    RandomSource random(21);
    for (const DType type : kTypes) {
        for (const auto mode : {NanPropagationMode::kPropagate, NanPropagationMode::kIgnore}) {
            for (int round = 0; round < 6; ++round) {
                std::int64_t bounds[2];
                double low = 1, high = 0;
                while (!(low <= high)) {
                    for (auto& bits : bounds) bits = random_float_bits(type, random);
                    low = decode_float(type, bounds[0]);
                    high = decode_float(type, bounds[1]);
                }
                tosa::ClampAttributes attributes;
                attributes.min_val = element(bounds[0], type);
                attributes.max_val = element(bounds[1], type);
                attributes.nan_mode = mode;
                const bool ignores = mode == NanPropagationMode::kIgnore;
                check_function(
                    OpCode::kClamp, attributes, {floats(type)}, random.bits(),
                    [&](const auto& v) {
                        if (std::isnan(v[0])) return ignores ? low : v[0];
                        return std::min(std::max(v[0], low), high);
                    },
                    exactly, false, Subnormals::kKept);
            }
        }
    }
}

TEST_CASE("functions of one float stay within the specification's bounds") {
    for (const DType type : kTypes) {
        const FloatFormat format = format_of(type);
        const std::vector<RandomOperand> one{floats(type)};
        const auto ulps = [format](double count) {
            return [format, count](double, double exact) {
                return count * format.ulp(std::abs(exact));
            };
        };
        const double base = type == DType::kFp32 ? 3 : 1;
        // calcAbsErrorBound (TOSA 1.0.1, 4.5.3): a share of the result, not of its ULP.
        const auto by_x = [&](double factor, double constant) {
            return [format, factor, constant](double x, double exact) {
                const double magnitude = std::max(std::abs(exact), format.least_normal());
                return (constant + factor * std::abs(x)) *
                       std::ldexp(magnitude, -format.fraction_bits);
            };
        };
        const auto call = [&](OpCode op, double (*f)(double), const auto& bound,
                              bool zero_sign = false, Subnormals kept = Subnormals::kFlushed) {
            check_function(
                op, NoAttributes{}, one, 31, [f](const auto& v) { return f(v[0]); }, bound,
                zero_sign, kept);
        };
        call(
            OpCode::kCeil, [](double x) { return std::ceil(x); }, exactly, true);
        call(
            OpCode::kFloor, [](double x) { return std::floor(x); }, exactly, true);
        call(
            OpCode::kAbs, [](double x) { return std::abs(x); }, exactly, true, Subnormals::kKept);
        call(
            OpCode::kExp, [](double x) { return std::exp(x); }, by_x(2, base));
        call(
            OpCode::kLog, [](double x) { return std::log(x); },
            [format](double, double exact) {
                return std::max(5 * format.ulp(std::abs(exact)), 0.5 * format.ulp(1.0));
            });
        call(
            OpCode::kReciprocal, [](double x) { return 1 / x; }, ulps(1), true);
        call(
            OpCode::kRsqrt, [](double x) { return x == 0 ? 1 / x : 1 / std::sqrt(x); }, ulps(2));
        call(
            OpCode::kErf, [](double x) { return std::erf(x); }, ulps(5), true);
        call(
            OpCode::kSigmoid, [](double x) { return 1 / (1 + std::exp(-x)); }, by_x(2, 2));
        call(
            OpCode::kTanh, [](double x) { return std::tanh(x); },
            [format, base](double x, double exact) {
                return std::max(4 * (base + 2 * std::abs(x)) * format.ulp(std::abs(exact)),
                                0.5 * format.ulp(1.0));
            },
            true);
        // The bounds of SIN and COS halve the number of fraction bits.
        const double root = std::ldexp(1.0, -(format.fraction_bits / 2));
        call(
            OpCode::kSin, [](double x) { return std::sin(x); },
            [format, root](double x, double) {
                return std::max(2 * root * std::abs(x), 3.14 * format.least_normal());
            },
            true);
        call(
            OpCode::kCos, [](double x) { return std::cos(x); },
            [root](double x, double) { return root * (1 + std::abs(x)); });
    }
}

TEST_CASE("negation of floats flips the sign") {
    RandomSource random(41);
    for (int round = 0; round < kRounds; ++round) {
        const DType type = random.element(kTypes);
        const auto run = run_random(
            OpCode::kNegate, NoAttributes{}, {floats(type)}, type, random, [&](const Dims&) {
                return std::vector<ConstantOperand>{{type, {0}}, {type, {0}}};
            });
        bool right = true;
        const std::int64_t sign = std::int64_t{1} << (format_of(type).bits() - 1);
        for (std::size_t i = 0; i < run.output.size(); ++i) {
            right = right && run.output[i] == (run.operands[0][i] ^ sign);
        }
        CHECK(right);
    }
}

TEST_CASE("powers of positive numbers") {
    for (const DType type : kTypes) {
        const FloatFormat format = format_of(type);
        const auto positive =
            RandomOperand{type, [=](RandomSource& random) {
                              const std::int64_t exponent = format.bias() + random.between(-9, 9);
                              return exponent << format.fraction_bits |
                                     random.below(std::int64_t{1} << format.fraction_bits);
                          }};
        const auto exponent = RandomOperand{
            type, [=](RandomSource& random) {
                const std::int64_t field = format.bias() + random.between(-6, 4);
                return random.below(2) << (format.bits() - 1) | field << format.fraction_bits |
                       random.below(std::int64_t{1} << format.fraction_bits);
            }};
        RandomSource random(51);
        for (int round = 0; round < 6; ++round) {
            const auto run =
                run_random(OpCode::kPow, NoAttributes{}, {positive, exponent}, type, random);
            std::size_t wrong = 0;
            for (std::size_t i = 0; i < run.output.size(); ++i) {
                const double x = decode_float(type, run.operands[0][i]);
                const double y = decode_float(type, run.operands[1][i]);
                const double exact = std::pow(x, y);
                const double product = y * std::log(x);
                const double product_error = std::max(5.5 * format.ulp(std::abs(product)),
                                                      0.55 * std::abs(y) * format.ulp(1.0));
                const double base = type == DType::kFp32 ? 3 : 1;
                const double bound =
                    exact * std::expm1(product_error) +
                    (base + 2 * std::abs(product + product_error)) * format.ulp(exact);
                if (!allowed(type, decode_float(type, run.output[i]), exact, bound)) ++wrong;
            }
            CHECK(wrong == 0);
        }
    }
}

}  // namespace okksim::tests
