// SPDX-License-Identifier: Apache-2.0
// Functions of one operand, and conversions.
#include <algorithm>
#include <cmath>

#include "sim/graph/compose/float_functions.h"
#include "sim/graph/compose/integer_functions.h"
#include "sim/graph/tflite/tflite_lowering.h"
#include "sim/graph/tflite/tflite_numbers.h"

namespace okksim::sim::graph::tflite {

namespace {

using Function = TensorIndex (*)(OperatorBuilder&, TensorIndex);

template <OpCode kOp>
TensorIndex plain(OperatorBuilder& ops, TensorIndex x) {
    return ops.unary(kOp, x, "result");
}

double gelu(double x) { return x / 2 * (1 + std::erf(x * M_SQRT1_2)); }
double gelu_tanh(double x) {
    constexpr double kCubic = 0.044715;
    return x / 2 * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + kCubic * x * x * x)));
}

/// A function of one operand: of tensors of real numbers, of numbers on the host for tables, and of
/// tensors of integers if it exists.
struct FunctionRow {
    std::int32_t number;
    Function reals;
    double (*host)(double);
    Function integers = nullptr;
};
constexpr FunctionRow kFunctions[] = {
    {kFloor, &plain<OpCode::kFloor>, [](double x) { return std::floor(x); }},
    {kLogistic, &compose::sigmoid, [](double x) { return 1 / (1 + std::exp(-x)); }},
    {kTanh, &compose::tanh, [](double x) { return std::tanh(x); }},
    {kExp, &compose::exponential, [](double x) { return std::exp(x); }},
    {kNeg, &compose::negative, [](double x) { return -x; }, &compose::integer_negative},
    {kSin, &plain<OpCode::kSin>, [](double x) { return std::sin(x); }},
    {kLog, &compose::logarithm, [](double x) { return std::log(x); }},
    {kSqrt, &compose::square_root, [](double x) { return std::sqrt(x); }},
    {kRsqrt, &plain<OpCode::kRsqrt>, [](double x) { return 1 / std::sqrt(x); }},
    {kSquare, &compose::square, [](double x) { return x * x; },
     [](OperatorBuilder& ops, TensorIndex x) { return compose::integer_multiply(ops, x, x); }},
    {kAbs, &compose::absolute, [](double x) { return std::abs(x); }, &compose::integer_absolute},
    {kCeil, &plain<OpCode::kCeil>, [](double x) { return std::ceil(x); }},
    {kCos, &plain<OpCode::kCos>, [](double x) { return std::cos(x); }},
    {kElu, [](OperatorBuilder& ops, TensorIndex x) { return compose::elu(ops, x, 1.0); },
     [](double x) { return x > 0 ? x : std::expm1(x); }},
    {kRound, &compose::round_half_even, [](double x) { return std::nearbyint(x); }},
    {kHardSwish, &compose::hard_swish,
     [](double x) { return x * std::clamp(x + 3, 0.0, 6.0) / 6; }},
    {kGelu, &compose::gelu, &gelu},
    {kSign, &compose::sign, [](double x) { return double(x > 0) - double(x < 0); },
     &compose::integer_sign},
};
constexpr FunctionRow kApproximateGelu{kGelu, &compose::gelu_tanh, &gelu_tanh};

const FunctionRow& row_of(const Call& call) {
    if (call.number == kGelu && call.options<wire::GeluOptions>().approximate()) {
        return kApproximateGelu;
    }
    return *std::find_if(std::begin(kFunctions), std::end(kFunctions),
                         [&](const FunctionRow& row) { return row.number == call.number; });
}

std::int64_t entry(double real, const Value& output) {
    if (std::isnan(real)) return output.least();
    const double q = std::round(real / output.scale()) + static_cast<double>(output.zero());
    return static_cast<std::int64_t>(
        std::clamp(q, static_cast<double>(output.least()), static_cast<double>(output.most())));
}

}  // namespace

void Lowering::unary(const Call& call) {
    const FunctionRow& row = row_of(call);
    Value& x = call.input(0);
    const Value& output = call.output();
    if (!x.is_real() && !x.is_quantised()) {
        if (row.integers == nullptr || x.type == TensorType::UINT8) {
            throw UnsupportedPart(type_name(x.type) + " operands", true);
        }
        return give(call, row.integers(ops_, t_.of(x)));
    }
    if (!is_quantised(call)) return in_reals(call, row.reals(ops_, t_.real(x)));
    if (call.number == kAbs) {
        const TensorIndex size = ops_.unary(OpCode::kAbs, t_.centred(x), "size");
        return give(call, t_.rescaled(size, x.scale() / output.scale(), output.device(),
                                      {0, output.zero()}));
    }
    if (x.type == TensorType::INT16) return in_reals(call, row.reals(ops_, t_.real(x)));
    in_table(call, [&](std::int64_t q) {
        return entry(row.host(x.scale() * static_cast<double>(q - x.zero())), output);
    });
}

void Lowering::relu(const Call& call) {
    Value& x = call.input(0);
    const Value& output = call.output();
    const Activation activation = call.number == kRelu    ? Activation::RELU
                                  : call.number == kRelu6 ? Activation::RELU6
                                                          : Activation::RELU_N1_TO_1;
    if (call.number == kRelu0To1 && !is_quantised(call)) {
        return in_reals(call, ops_.clamp(t_.real(x), 0, 1, "clamped"));
    }
    const TensorIndex moved = is_quantised(call) ? requantised(t_.of(x), x, output)
                              : x.is_real()      ? t_.real(x)
                                                 : t_.of(x);
    if (call.number == kRelu0To1) {
        return give(call, t_.limited(moved, output, {0, 1}));
    }
    give(call, t_.activated(moved, output, activation));
}

void Lowering::leaky_relu(const Call& call) {
    Value& x = call.input(0);
    const Value& output = call.output();
    const double alpha = static_cast<double>(call.options<wire::LeakyReluOptions>().alpha());
    if (!is_quantised(call)) return in_reals(call, compose::leaky_relu(ops_, t_.real(x), alpha));
    const TensorIndex centred = t_.centred(x);
    const double scale = x.scale() / output.scale();
    const auto slope = [&](double factor) {
        // RESCALE multiplies by a positive number.
        const TensorIndex operand = factor < 0 ? compose::integer_negative(ops_, centred) : centred;
        return t_.rescaled(operand, std::abs(factor), output.device(), {0, output.zero()});
    };
    const TensorIndex is_positive = t_.test(OpCode::kGreaterEqual, centred,
                                            ops_.number(DType::kI32, x.rank(), 0), "is_positive");
    give(call, t_.select(is_positive, slope(scale), slope(alpha * scale), "leaky"));
}

void Lowering::prelu(const Call& call) {
    check_broadcast(call);
    Value& x = call.input(0);
    Value& alpha = call.input(1);
    const Value& output = call.output();
    if (!is_quantised(call)) {
        return in_reals(call, compose::prelu(ops_, t_.real(x), t_.real(alpha)));
    }
    const TensorIndex centred = t_.centred(x);
    const TensorIndex product = ops_.product(centred, t_.centred(alpha), "product");
    const auto represented = [&](TensorIndex sums, double scale) {
        return t_.rescaled(sums, scale / output.scale(), output.device(), {0, output.zero()});
    };
    const TensorIndex is_positive = t_.test(OpCode::kGreaterEqual, centred,
                                            ops_.number(DType::kI32, x.rank(), 0), "is_positive");
    give(call, t_.select(is_positive, represented(centred, x.scale()),
                         represented(product, x.scale() * alpha.scale()), "sloped"));
}

void Lowering::cast(const Call& call) {
    Value& x = call.input(0);
    const Value& output = call.output();
    // CAST does not know scales: it converts the stored numbers. UINT8 is stored with an offset.
    TensorIndex result = t_.of(x);
    if (x.type == TensorType::UINT8 && output.type != TensorType::UINT8) {
        result = t_.rescaled(result, 1.0, DType::kI32, {-128, 0});
    }
    if (x.is_real() && output.type == TensorType::BOOL) {
        const TensorIndex zero = ops_.number(ops_.type(result), x.rank(), 0);
        const TensorIndex is_zero = t_.test(OpCode::kEqual, result, zero, "is_zero");
        return give(call, ops_.unary(OpCode::kLogicalNot, is_zero, "is_set"));
    }
    if (x.is_real() && !output.is_real()) result = compose::truncate(ops_, result);
    if (output.type == TensorType::UINT8 && x.type != TensorType::UINT8) {
        const TensorIndex whole = ops_.cast(result, DType::kI32, "whole");
        const TensorIndex shift = ops_.number(DType::kI32, x.rank(), -128);
        result = ops_.binary(OpCode::kAdd, whole, shift, "shifted");
    }
    if (ops_.type(result) == DType::kBool && output.is_real()) {
        result = ops_.cast(result, DType::kI8, "number");
    }
    give(call, ops_.cast(result, output.device(), "converted"));
}

void Lowering::quantize(const Call& call) {
    Value& x = call.input(0);
    const Value& output = call.output();
    if (!output.is_quantised() && output.type != TensorType::INT32) {
        call.illegal("output " + output.name, type_name(output.type),
                     "the result is quantised: it has a scale");
    }
    if (x.is_real()) return give(call, t_.quantised(t_.real(x), output, true));
    const std::int64_t from = x.quantisation.exists() ? x.zero() : 0;
    const std::int64_t to = output.quantisation.exists() ? output.zero() : 0;
    if (!x.quantisation.exists() || !output.quantisation.exists()) {
        call.illegal("input " + x.name, type_name(x.type), "operand and result have scales");
    }
    give(call, t_.rescaled(t_.of(x), x.scale() / output.scale(), output.device(), {from, to}));
}

void Lowering::dequantize(const Call& call) {
    Value& x = call.input(0);
    if (x.is_known) {
        const std::vector<float> reals = known_reals(x);
        const std::span bytes = std::as_bytes(std::span(reals));
        return give_known(call, x.shape, {bytes.begin(), bytes.end()});
    }
    if (x.type == TensorType::INT32 && x.quantisation.exists()) {
        const TensorIndex real = ops_.cast(t_.of(x), DType::kFp32, "real");
        return give(call, ops_.product(real, ops_.number(DType::kFp32, x.rank(), x.scale()),
                                       "dequantised"));
    }
    give(call, t_.real(x));
}

void Lowering::fake_quant(const Call& call) {
    const auto& options = call.needed_options<wire::FakeQuantOptions>();
    if (options.num_bits() < 2 || options.num_bits() > 16 || !(options.min() < options.max())) {
        call.illegal("num_bits", std::to_string(options.num_bits()),
                     "num_bits is 2 to 16, and min is less than max");
    }
    const double least = options.narrow_range() ? 1 : 0;
    const double most = std::ldexp(1.0, options.num_bits()) - 1;
    const double scale = (options.max() - options.min()) / (most - least);
    const double zero = std::clamp(std::round(least - options.min() / scale), least, most);
    const double low = (least - zero) * scale, high = (most - zero) * scale;
    Value& x = call.input(0);
    const auto number = [&](double value) { return ops_.number(DType::kFp32, x.rank(), value); };
    TensorIndex steps = ops_.clamp(t_.real(x), low, high, "clamped");
    steps = ops_.binary(OpCode::kSub, steps, number(low), "above_low");
    steps = ops_.product(steps, number(1 / scale), "steps");
    steps =
        ops_.unary(OpCode::kFloor, ops_.binary(OpCode::kAdd, steps, number(0.5), "up"), "whole");
    const TensorIndex result = ops_.product(steps, number(scale), "real_steps");
    give(call, ops_.binary(OpCode::kAdd, result, number(low), "fake"));
}

}  // namespace okksim::sim::graph::tflite
