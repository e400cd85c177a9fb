// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "sim/graph/operator_builder.h"

/// Element-wise functions of fp32, fp16 and bf16 values that TOSA lacks. The result has the type
/// and shape of `x`; dimensions of 1 of a second operand broadcast, and a lower rank gets leading
/// ones. Functions of several steps compute fp16 and bf16 values in fp32. The definitions are those
/// of the ONNX operators of the same names. NaN gives NaN, and infinities give the limits.
namespace okksim::sim::graph::compose {

// Powers and quotients.
TensorIndex square(OperatorBuilder& ops, TensorIndex x);
/// Numbers below zero give NaN. The error is below 2.5 ulp.
TensorIndex square_root(OperatorBuilder& ops, TensorIndex x);
/// x RECIPROCAL(y). The error is below 2 ulp for |y| in [2^-126, 2^126].
TensorIndex divide(OperatorBuilder& ops, TensorIndex x, TensorIndex y);
TensorIndex divide(OperatorBuilder& ops, TensorIndex x, double y);
TensorIndex reciprocal(OperatorBuilder& ops, TensorIndex x);
/// std::pow. Results for whole exponents have the sign of the base's power.
TensorIndex power(OperatorBuilder& ops, TensorIndex x, TensorIndex y);
/// Whole exponents up to 256 become products, and halves of whole ones roots and products.
TensorIndex power(OperatorBuilder& ops, TensorIndex x, double y);
/// The quotient rounded towards minus infinity, also where the quotient is whole.
TensorIndex floor_divide(OperatorBuilder& ops, TensorIndex x, TensorIndex y);
/// The remainder of the divisor's sign (ONNX Mod, TFLite FLOOR_MOD).
TensorIndex floor_modulo(OperatorBuilder& ops, TensorIndex x, TensorIndex y);
/// The remainder of the dividend's sign (std::fmod). Exact for quotients below 2^22.
TensorIndex c_modulo(OperatorBuilder& ops, TensorIndex x, TensorIndex y);

// Rounding, signs and tests.
TensorIndex round_half_even(OperatorBuilder& ops, TensorIndex x);
TensorIndex round_half_away(OperatorBuilder& ops, TensorIndex x);
/// Rounds towards zero.
TensorIndex truncate(OperatorBuilder& ops, TensorIndex x);
/// -1, 0 or 1.
TensorIndex sign(OperatorBuilder& ops, TensorIndex x);
/// -x. The sign of zero changes.
TensorIndex negative(OperatorBuilder& ops, TensorIndex x);
TensorIndex absolute(OperatorBuilder& ops, TensorIndex x);
/// Results of type bool.
TensorIndex is_nan(OperatorBuilder& ops, TensorIndex x);
TensorIndex is_infinite(OperatorBuilder& ops, TensorIndex x, bool detect_positive = true,
                        bool detect_negative = true);

// Limits.
TensorIndex relu(OperatorBuilder& ops, TensorIndex x);
/// min(max(x, low), high): if low exceeds high, the result is high.
TensorIndex clip(OperatorBuilder& ops, TensorIndex x, std::optional<double> low,
                 std::optional<double> high);
/// Takes limits of run time, also of kI32.
TensorIndex clip_at_run_time(OperatorBuilder& ops, TensorIndex x, std::optional<TensorIndex> low,
                             std::optional<TensorIndex> high);

// Activation functions.
TensorIndex leaky_relu(OperatorBuilder& ops, TensorIndex x, double alpha);
/// max(x, 0) + slope min(x, 0); `slope` broadcasts. For infinite x, slope must not be zero.
TensorIndex prelu(OperatorBuilder& ops, TensorIndex x, TensorIndex slope);
/// x where x > alpha, else 0.
TensorIndex thresholded_relu(OperatorBuilder& ops, TensorIndex x, double alpha);
/// x + bias where x < -lambda, x - bias where x > lambda, else 0.
TensorIndex shrink(OperatorBuilder& ops, TensorIndex x, double bias, double lambda);
/// log(1 + e^x), also for large |x|.
TensorIndex softplus(OperatorBuilder& ops, TensorIndex x);
/// x / (1 + |x|).
TensorIndex softsign(OperatorBuilder& ops, TensorIndex x);
/// x / 2 (1 + erf(x / sqrt 2)).
TensorIndex gelu(OperatorBuilder& ops, TensorIndex x);
/// x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))).
TensorIndex gelu_tanh(OperatorBuilder& ops, TensorIndex x);
/// x sigmoid(alpha x).
TensorIndex quick_gelu(OperatorBuilder& ops, TensorIndex x, double alpha);
/// x sigmoid(x), also called swish.
TensorIndex silu(OperatorBuilder& ops, TensorIndex x);
/// x tanh(softplus(x)).
TensorIndex mish(OperatorBuilder& ops, TensorIndex x);
/// max(0, min(1, alpha x + beta)).
TensorIndex hard_sigmoid(OperatorBuilder& ops, TensorIndex x, double alpha, double beta);
/// x hard_sigmoid(x, 1/6, 1/2).
TensorIndex hard_swish(OperatorBuilder& ops, TensorIndex x);
/// x where x > 0, else alpha (e^x - 1).
TensorIndex elu(OperatorBuilder& ops, TensorIndex x, double alpha);
/// gamma elu(x, alpha).
TensorIndex selu(OperatorBuilder& ops, TensorIndex x, double alpha, double gamma);
/// max(0, x) + min(0, alpha (e^(x / alpha) - 1)).
TensorIndex celu(OperatorBuilder& ops, TensorIndex x, double alpha);

// Trigonometric and hyperbolic functions, in radians.
TensorIndex tan(OperatorBuilder& ops, TensorIndex x);
TensorIndex asin(OperatorBuilder& ops, TensorIndex x);
TensorIndex acos(OperatorBuilder& ops, TensorIndex x);
TensorIndex atan(OperatorBuilder& ops, TensorIndex x);
TensorIndex sinh(OperatorBuilder& ops, TensorIndex x);
TensorIndex cosh(OperatorBuilder& ops, TensorIndex x);
TensorIndex asinh(OperatorBuilder& ops, TensorIndex x);
TensorIndex acosh(OperatorBuilder& ops, TensorIndex x);
TensorIndex atanh(OperatorBuilder& ops, TensorIndex x);

// Operators of TOSA, for tables of functions of one operand.
TensorIndex exponential(OperatorBuilder& ops, TensorIndex x);
TensorIndex logarithm(OperatorBuilder& ops, TensorIndex x);
TensorIndex error_function(OperatorBuilder& ops, TensorIndex x);
TensorIndex sigmoid(OperatorBuilder& ops, TensorIndex x);
TensorIndex tanh(OperatorBuilder& ops, TensorIndex x);

/// e^x - 1 and log(1 + x), accurate for small |x|.
TensorIndex exponential_minus_one(OperatorBuilder& ops, TensorIndex x);
TensorIndex logarithm_of_one_plus(OperatorBuilder& ops, TensorIndex x);

}  // namespace okksim::sim::graph::compose
