// SPDX-License-Identifier: Apache-2.0
// Activation functions.
#include "sim/graph/compose/float_functions.h"
#include "sim/graph/compose/real.h"

namespace okksim::sim::graph::compose {

// For alpha <= 1 the result is the larger one of x and alpha x, otherwise the smaller one.
TensorIndex leaky_relu(OperatorBuilder& ops, TensorIndex x, double alpha) {
    if (alpha == 0) return relu(ops, x);
    const Real value(ops, x);
    const Real scaled = value * alpha;
    return (alpha <= 1 ? larger(value, scaled) : smaller(value, scaled)).tensor();
}

TensorIndex prelu(OperatorBuilder& ops, TensorIndex x, TensorIndex slope) {
    const Real value(ops, x);
    const Real below = negative_part(value) * Real(ops, slope);
    return (positive_part(value) + below).tensor();
}

TensorIndex thresholded_relu(OperatorBuilder& ops, TensorIndex x, double alpha) {
    const Real value(ops, x);
    const TensorIndex is_above = is_greater(value, alpha);
    return choose(is_above, value, value.number(0)).tensor();
}

// With equal limits, the soft shrinkage x - min(max(x, -lambda), lambda) has no jumps.
TensorIndex shrink(OperatorBuilder& ops, TensorIndex x, double bias, double lambda) {
    const Real value(ops, x);
    if (bias == lambda && lambda >= 0) return (value - limited(value, -lambda, lambda)).tensor();
    const TensorIndex is_above = is_greater(value, lambda);
    const Real above = value - bias;
    const Real inner = choose(is_above, above, value.number(0));
    const TensorIndex is_below = is_greater(-lambda, value);
    return choose(is_below, value + bias, inner).tensor();
}

TensorIndex softplus(OperatorBuilder& ops, TensorIndex x) {
    return in_fp32(ops, x, [](const Real& value) {
        const Real inner = log1p_of(exp_of(smaller(value, value * -1.0)));
        return positive_part(value) + inner;
    });
}

TensorIndex softsign(OperatorBuilder& ops, TensorIndex x) {
    return in_fp32(ops, x,
                   [](const Real& value) { return value * inverse_of(magnitude_of(value) + 1.0); });
}

TensorIndex gelu(OperatorBuilder& ops, TensorIndex x) {
    constexpr double kRootOfHalf = 0.70710678118654752;
    return in_fp32(ops, x, [](const Real& value) {
        const Real erf = (value * kRootOfHalf).unary(OpCode::kErf, "erf");
        return (erf * 0.5 + 0.5) * value;
    });
}

// (1 + tanh(u)) / 2 = sigmoid(2 u). The machine fuses a square of a result, but not one of x.
TensorIndex gelu_tanh(OperatorBuilder& ops, TensorIndex x) {
    constexpr double kLinear = 1.5957691216057308;       // 2 sqrt(2 / pi)
    constexpr double kRootOfCubic = 0.26712322301252706;  // sqrt(0.044715 kLinear)
    return in_fp32(ops, x, [](const Real& value) {
        const Real scaled = value * kRootOfCubic;
        return sigmoid_of((scaled * scaled + kLinear) * value) * value;
    });
}

TensorIndex quick_gelu(OperatorBuilder& ops, TensorIndex x, double alpha) {
    return in_fp32(ops, x,
                   [alpha](const Real& value) { return value * sigmoid_of(value * alpha); });
}

TensorIndex silu(OperatorBuilder& ops, TensorIndex x) { return quick_gelu(ops, x, 1); }

// tanh(log(1 + w)) = n / (n + 2) with n = w (w + 2).
TensorIndex mish(OperatorBuilder& ops, TensorIndex x) {
    constexpr double kSaturated = 20;  // above it, the tanh is 1 and w^2 does not overflow
    return in_fp32(ops, x, [](const Real& value) {
        const Real w = exp_of(smaller(value, kSaturated));
        const Real n = (w + 2.0) * w;
        return n * inverse_of(n + 2.0) * value;
    });
}

TensorIndex hard_sigmoid(OperatorBuilder& ops, TensorIndex x, double alpha, double beta) {
    return in_fp32(ops, x, [=](const Real& value) { return limited(value * alpha + beta, 0, 1); });
}

TensorIndex hard_swish(OperatorBuilder& ops, TensorIndex x) {
    return in_fp32(
        ops, x, [](const Real& value) { return limited(value * (1.0 / 6) + 0.5, 0, 1) * value; });
}

TensorIndex elu(OperatorBuilder& ops, TensorIndex x, double alpha) {
    return selu(ops, x, alpha, 1);
}

TensorIndex selu(OperatorBuilder& ops, TensorIndex x, double alpha, double gamma) {
    return in_fp32(ops, x, [=](const Real& value) {
        const Real below = expm1_of(smaller(value, 0)) * (alpha * gamma);
        return larger(value, 0) * gamma + below;
    });
}

TensorIndex celu(OperatorBuilder& ops, TensorIndex x, double alpha) {
    return in_fp32(ops, x, [=](const Real& value) {
        const Real below = expm1_of(smaller(value, 0) * (1 / alpha)) * alpha;
        return larger(value, 0) + below;
    });
}

}  // namespace okksim::sim::graph::compose
