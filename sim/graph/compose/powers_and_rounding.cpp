// SPDX-License-Identifier: Apache-2.0
// Powers, quotients, rounding, signs, tests, limits and operators of TOSA.
#include <cmath>
#include <limits>

#include "sim/graph/compose/float_functions.h"
#include "sim/graph/compose/real.h"

namespace okksim::sim::graph::compose {

namespace {

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

/// x modulo y for y > 0, from 0. The quotient's floor may be wrong by one next to whole quotients.
Real modulo_of_positive(const Real& x, const Real& y) {
    const Real rest = x - floor_of(x * inverse_of(y)) * y;
    const TensorIndex is_below = is_greater(0.0, rest);
    const Real above = choose(is_below, rest + y, rest);
    const TensorIndex is_beyond =
        compare(x.ops(), OpCode::kGreaterEqual, above.tensor(), y.tensor());
    return choose(is_beyond, above - y, above);
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

// Bases below zero have powers for whole exponents; those for odd ones are negative.
TensorIndex power(OperatorBuilder& ops, TensorIndex x, TensorIndex y) {
    return in_fp32(ops, x, y, [&ops](const Real& base, const Real& exponent) {
        const Real half = exponent * 0.5;
        const Real sign = 1.0 - (half - floor_of(half)) * 4.0;  // 1 or -1 for whole exponents
        const TensorIndex is_whole =
            compare(ops, OpCode::kEqual, exponent.tensor(), floor_of(exponent).tensor());
        const Real negative = choose(is_whole, sign, sign.number(std::nan("")));
        const TensorIndex is_below = is_greater(0.0, base);
        const Real factor = choose(is_below, negative, negative.number(1));
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
            const Real whole = whole_power(base, static_cast<std::int64_t>(y));
            return root_of(base) * whole;
        }
        return exp_of(log_of(base) * y);
    });
}

// The remainder decides whether the floor of the inexact quotient is one too high or too low.
TensorIndex floor_divide(OperatorBuilder& ops, TensorIndex x, TensorIndex y) {
    return in_fp32(ops, x, y, [&ops](const Real& a, const Real& b) {
        const Real sign = sign_of(b);
        const Real dividend = a * sign;
        const Real divisor = magnitude_of(b);
        const Real whole = floor_of(dividend * inverse_of(divisor));
        const Real rest = dividend - whole * divisor;
        const TensorIndex is_beyond =
            compare(ops, OpCode::kGreaterEqual, rest.tensor(), divisor.tensor());
        const Real raised = choose(is_beyond, whole + 1.0, whole);
        const TensorIndex is_below = is_greater(0.0, rest);
        return choose(is_below, raised - 1.0, raised);
    });
}

TensorIndex floor_modulo(OperatorBuilder& ops, TensorIndex x, TensorIndex y) {
    return in_fp32(ops, x, y, [](const Real& a, const Real& b) {
        const Real sign = sign_of(b);
        return modulo_of_positive(a * sign, b * sign) * sign;
    });
}

TensorIndex c_modulo(OperatorBuilder& ops, TensorIndex x, TensorIndex y) {
    return in_fp32(ops, x, y, [](const Real& a, const Real& b) {
        const Real sign = sign_of(a);
        return modulo_of_positive(a * sign, magnitude_of(b)) * sign;
    });
}

// x lies within 1 of the even number `even`, and ties between the two go to it. The rest is NaN for
// infinite x.
TensorIndex round_half_even(OperatorBuilder& ops, TensorIndex x) {
    return in_fp32(ops, x, [](const Real& value) {
        const Real half = floor_of(value * 0.5 + 0.5);
        const Real even = half + half;
        const Real rest = larger_or_if_nan(value - even, -2);
        const Real raised = even + positive_part(ceiling_of(rest - 0.5));
        return raised + negative_part(floor_of(rest + 0.5));
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

TensorIndex relu(OperatorBuilder& ops, TensorIndex x) { return clip(ops, x, 0.0, std::nullopt); }

TensorIndex clip(OperatorBuilder& ops, TensorIndex x, std::optional<double> low,
                 std::optional<double> high) {
    if (!low && !high) return x;
    const double highest = high.value_or(kInfinity);
    return limited({ops, x}, std::min(low.value_or(-kInfinity), highest), highest).tensor();
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
