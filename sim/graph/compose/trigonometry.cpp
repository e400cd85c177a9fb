// SPDX-License-Identifier: Apache-2.0
// Trigonometric and hyperbolic functions and their inverses, without branches.
#include <array>

#include "sim/graph/compose/float_functions.h"
#include "sim/graph/compose/real.h"

namespace okksim::sim::graph::compose {

namespace {

constexpr double kRootOfTwo = 1.4142135623730951;
constexpr double kLn2 = 0.69314718055994531;

/// atan(sqrt z) / sqrt z on [0, 1] by falling powers of z, relative error 5e-8: a Chebyshev fit,
/// rounded to fp32.
constexpr std::array<double, 9> kArc{0x1.73776ap-9,  -0x1.0639f6p-6, 0x1.5ce0b0p-5,
                                     -0x1.330372p-4, 0x1.b3ae74p-4,  -0x1.22de60p-3,
                                     0x1.997232p-3,  -0x1.5554a2p-2, 1.0};

/// atan(x) for |x| <= 1.
Real short_arc(const Real& x) {
    const Real z = x * x;
    Real sum = z * kArc[0] + kArc[1];
    for (std::size_t i = 2; i < kArc.size(); ++i) sum = sum * z + kArc[i];
    return sum * x;
}

/// tan(atan(x) / 2) = x / (1 + sqrt(1 + x^2)), which is within [-1, 1].
Real tangent_of_half_arc(const Real& x) {
    constexpr double kMost = 1e18;  // its square is finite
    const Real bounded = limited(x, -kMost, kMost);
    return bounded * inverse_of(root_of(bounded * bounded + 1.0) + 1.0);
}

/// (e^x + e^-x) / 2, which is finite where e^x is not.
Real cosh_of(const Real& x) {
    const Real growing = exp_of(x - kLn2);
    return growing + exp_of(-kLn2 - x);
}

}  // namespace

TensorIndex tan(OperatorBuilder& ops, TensorIndex x) {
    return in_fp32(ops, x, [](const Real& value) {
        const Real secant = inverse_of(value.unary(OpCode::kCos, "cosine"));
        return value.unary(OpCode::kSin, "sine") * secant;
    });
}

// With c = sqrt(1 - x^2), asin(x) = 2 atan(x / (1 + c)).
TensorIndex asin(OperatorBuilder& ops, TensorIndex x) {
    return in_fp32(ops, x, [](const Real& value) {
        const Real above = value + 1.0;
        const Real cosine = root_of((1.0 - value) * above);
        const Real arc = short_arc(value * inverse_of(cosine + 1.0));
        return arc + arc;
    });
}

// acos(x) = 4 atan(sqrt(1 - x) / (sqrt(1 + x) + sqrt 2))
TensorIndex acos(OperatorBuilder& ops, TensorIndex x) {
    return in_fp32(ops, x, [](const Real& value) {
        const Real share = inverse_of(root_of(value + 1.0) + kRootOfTwo);
        return short_arc(root_of(1.0 - value) * share) * 4.0;
    });
}

TensorIndex atan(OperatorBuilder& ops, TensorIndex x) {
    return in_fp32(ops, x, [](const Real& value) {
        const Real arc = short_arc(tangent_of_half_arc(value));
        return arc + arc;
    });
}

// tanh(x / 2) (cosh(x) + 1)
TensorIndex sinh(OperatorBuilder& ops, TensorIndex x) {
    return in_fp32(ops, x, [](const Real& value) {
        const Real sum = cosh_of(value) + 1.0;
        return tanh_of(value * 0.5) * sum;
    });
}

TensorIndex cosh(OperatorBuilder& ops, TensorIndex x) { return in_fp32(ops, x, cosh_of); }

// With a = |x|, log(a + sqrt(1 + a^2)) = log(1 + a + a^2 / (1 + sqrt(1 + a^2))).
TensorIndex asinh(OperatorBuilder& ops, TensorIndex x) {
    return in_fp32(ops, x, [](const Real& value) {
        const Real a = magnitude_of(value);
        const Real size = log1p_of(a * tangent_of_half_arc(a) + a);
        return sign_of(value) * size;
    });
}

// With t = x - 1, log(x + sqrt(x^2 - 1)) = log(1 + t + sqrt(t (t + 2))).
TensorIndex acosh(OperatorBuilder& ops, TensorIndex x) {
    return in_fp32(ops, x, [](const Real& value) {
        const Real t = value - 1.0;
        const Real root = root_of(t + 2.0);
        return log1p_of(t + root_of(t) * root);
    });
}

// log(1 + 2 a / (1 - a)) / 2 with a = |x|
TensorIndex atanh(OperatorBuilder& ops, TensorIndex x) {
    return in_fp32(ops, x, [](const Real& value) {
        const Real a = magnitude_of(value);
        const Real twice = a + a;
        const Real size = log1p_of(twice * inverse_of(1.0 - a));
        return sign_of(value) * 0.5 * size;
    });
}

}  // namespace okksim::sim::graph::compose
