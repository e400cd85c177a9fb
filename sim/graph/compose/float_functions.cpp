// SPDX-License-Identifier: Apache-2.0
// Powers, quotients, rounding, signs, tests, limits and operators of TOSA.
#include "sim/graph/compose/float_functions.h"

#include <cmath>
#include <limits>

#include "sim/graph/compose/real.h"

namespace okksim::sim::graph::compose {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// x^n for n >= 1 by squares and products.
Real whole_power(const Real& x, std::int64_t n) {
    if (n == 1) return x;
    const Real half = whole_power(x, n / 2);
    const Real square = half * half;
    return n % 2 == 0 ? square : square * x;
}

/// e^(y log |x|). The limits make 0^0 and infinity^0 equal to 1.
Real power_of_magnitude(const Real& x, const Real& y) {
    return exp_of(limited(log_of(magnitude_of(x)), -1e30, 1e30) * y);
}

/// |x| modulo |y|. The quotient's floor may be wrong by one next to whole quotients.
Real modulo_of_magnitudes(const Real& x, const Real& y) {
    const Real a = magnitude_of(x);
    const Real b = magnitude_of(y);
    const Real rest = a - floor_of(a * inverse_of(b)) * b;
    const Real above = choose(is_greater(0.0, rest), rest + b, rest);
    return choose(compare(x.ops(), OpCode::kGreaterEqual, above.tensor(), b.tensor()), above - b,
                  above);
}

}  // namespace

TensorIndex square(OperatorBuilder& ops, TensorIndex x) { return ops.product(x, x, "square"); }

TensorIndex square_root(OperatorBuilder& ops, TensorIndex x) { return in_fp32(ops, x, root_of); }

TensorIndex divide(OperatorBuilder& ops, TensorIndex x, TensorIndex y) {
    return in_fp32(ops, x, y, [](const Real& a, const Real& b) { return a * inverse_of(b); });
}

TensorIndex divide(OperatorBuilder& ops, TensorIndex x, double y) {
    return (Real(ops, x) * (1 / y)).tensor();
}

TensorIndex reciprocal(OperatorBuilder& ops, TensorIndex x) {
    return inverse_of({ops, x}).tensor();
}

// Of a base below zero, the power has a value for whole exponents: odd ones make it negative.
TensorIndex power(OperatorBuilder& ops, TensorIndex x, TensorIndex y) {
    return in_fp32(ops, x, y, [&ops](const Real& base, const Real& exponent) {
        const Real half = exponent * 0.5;
        const Real sign = 1.0 - (half - floor_of(half)) * 4.0;  // 1 or -1 for whole exponents
        const TensorIndex is_whole =
            compare(ops, OpCode::kEqual, exponent.tensor(), floor_of(exponent).tensor());
        const Real negative = choose(is_whole, sign, sign.number(std::nan("")));
        const Real factor = choose(is_greater(0.0, base), negative, negative.number(1));
        return power_of_magnitude(base, exponent) * factor;
    });
}

TensorIndex power(OperatorBuilder& ops, TensorIndex x, double y) {
    constexpr double kMostProducts = 256;
    if (y == 0) return limited({ops, x}, 1, 1).tensor();
    if (y == 1) return x;
    if (y == -1) return reciprocal(ops, x);
    if (y == 2) return square(ops, x);
    const bool is_whole = y == std::floor(y);
    if (is_whole && std::abs(y) > kMostProducts) {
        return power(ops, x, ops.number(ops.type(x), ops.rank(x), y));
    }
    return in_fp32(ops, x, [y, is_whole](const Real& base) {
        if (y == 0.5) return root_of(base);
        if (y == -0.5) return inverse_root_of(base);
        if (y == 0.25) return root_of(root_of(base));
        if (is_whole) {
            const auto count = static_cast<std::int64_t>(std::abs(y));
            if (y > 0) return whole_power(base, count);
            // Small powers may be less than normal numbers although their reciprocals are finite;
            // of many factors, the reciprocal's error would count in each.
            constexpr std::int64_t kFew = 16;
            return count <= kFew ? whole_power(inverse_of(base), count)
                                 : inverse_of(whole_power(base, count));
        }
        if (2 * y == std::floor(2 * y) && y > 0 && y < 16) {
            return root_of(base) * whole_power(base, static_cast<std::int64_t>(y));
        }
        return exp_of(log_of(base) * y);
    });
}

// The remainder decides whether the floor of the inexact quotient is one too high or too low.
TensorIndex floor_divide(OperatorBuilder& ops, TensorIndex x, TensorIndex y) {
    return in_fp32(ops, x, y, [&ops](const Real& a, const Real& b) {
        const Real divisor = magnitude_of(b);
        const Real dividend = a * sign_of(b);
        const Real whole = floor_of(dividend * inverse_of(divisor));
        const Real rest = dividend - whole * divisor;
        const Real raised =
            choose(compare(ops, OpCode::kGreaterEqual, rest.tensor(), divisor.tensor()),
                   whole + 1.0, whole);
        return choose(is_greater(0.0, rest), raised - 1.0, raised);
    });
}

TensorIndex floor_modulo(OperatorBuilder& ops, TensorIndex x, TensorIndex y) {
    return in_fp32(ops, x, y, [&ops](const Real& a, const Real& b) {
        const Real rest = modulo_of_magnitudes(a, b);
        const Real signed_rest = choose(is_greater(0.0, a), rest * -1.0, rest);
        const TensorIndex is_other = is_greater(0.0, sign_of(signed_rest) * sign_of(b));
        return choose(is_other, signed_rest + b, signed_rest);
    });
}

TensorIndex c_modulo(OperatorBuilder& ops, TensorIndex x, TensorIndex y) {
    return in_fp32(ops, x, y, [](const Real& a, const Real& b) {
        const Real rest = modulo_of_magnitudes(a, b);
        return choose(is_greater(0.0, a), rest * -1.0, rest);
    });
}

// x lies within 1 of the even number `even`, and ties between the two go to it. The rest is NaN for
// infinite x.
TensorIndex round_half_even(OperatorBuilder& ops, TensorIndex x) {
    return in_fp32(ops, x, [](const Real& value) {
        const Real half = floor_of(value * 0.5 + 0.5);
        const Real even = half + half;
        const Real rest = larger_or_if_nan(value - even, -2);
        return even + larger(ceiling_of(rest - 0.5), 0) + smaller(floor_of(rest + 0.5), 0);
    });
}

TensorIndex round_half_away(OperatorBuilder& ops, TensorIndex x) {
    return in_fp32(ops, x, [](const Real& value) {
        const Real whole = truncated(value);
        const Real rest = larger_or_if_nan(value - whole, -1);
        return whole + truncated(rest + rest);
    });
}

TensorIndex truncate(OperatorBuilder& ops, TensorIndex x) { return truncated({ops, x}).tensor(); }

TensorIndex sign(OperatorBuilder& ops, TensorIndex x) { return in_fp32(ops, x, sign_of); }

TensorIndex negative(OperatorBuilder& ops, TensorIndex x) { return (Real(ops, x) * -1.0).tensor(); }

TensorIndex absolute(OperatorBuilder& ops, TensorIndex x) {
    return ops.unary(OpCode::kAbs, x, "magnitude");
}

TensorIndex is_nan(OperatorBuilder& ops, TensorIndex x) {
    return logical_not(ops, compare(ops, OpCode::kEqual, x, x));
}

TensorIndex is_infinite(OperatorBuilder& ops, TensorIndex x, bool detect_positive,
                        bool detect_negative) {
    const Real value(ops, x);
    if (!detect_positive && !detect_negative) return is_greater(value, value);
    const Real wanted = detect_positive && detect_negative ? magnitude_of(value) : value;
    const Real limit = value.number(detect_positive ? kInfinity : -kInfinity);
    return compare(ops, OpCode::kEqual, wanted.tensor(), limit.tensor());
}

TensorIndex relu(OperatorBuilder& ops, TensorIndex x) { return larger({ops, x}, 0).tensor(); }

TensorIndex clip(OperatorBuilder& ops, TensorIndex x, std::optional<double> low,
                 std::optional<double> high) {
    const Real value(ops, x);
    if (low && high) return limited(value, std::min(*low, *high), *high).tensor();
    if (low) return larger(value, *low).tensor();
    return high ? smaller(value, *high).tensor() : x;
}

TensorIndex clip_at_run_time(OperatorBuilder& ops, TensorIndex x, std::optional<TensorIndex> low,
                             std::optional<TensorIndex> high) {
    if (low) x = ops.binary(OpCode::kMaximum, x, *low, "above_low");
    if (high) x = ops.binary(OpCode::kMinimum, x, *high, "below_high");
    return x;
}

TensorIndex exponential(OperatorBuilder& ops, TensorIndex x) { return exp_of({ops, x}).tensor(); }
TensorIndex logarithm(OperatorBuilder& ops, TensorIndex x) { return log_of({ops, x}).tensor(); }
TensorIndex error_function(OperatorBuilder& ops, TensorIndex x) {
    return ops.unary(OpCode::kErf, x, "erf");
}
TensorIndex sigmoid(OperatorBuilder& ops, TensorIndex x) { return sigmoid_of({ops, x}).tensor(); }
TensorIndex tanh(OperatorBuilder& ops, TensorIndex x) { return tanh_of({ops, x}).tensor(); }

TensorIndex exponential_minus_one(OperatorBuilder& ops, TensorIndex x) {
    return in_fp32(ops, x, expm1_of);
}
TensorIndex logarithm_of_one_plus(OperatorBuilder& ops, TensorIndex x) {
    return in_fp32(ops, x, log1p_of);
}

}  // namespace okksim::sim::graph::compose
