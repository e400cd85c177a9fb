// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/tflite/tflite_tensors.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace okksim::sim::graph::tflite {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

ConstantData device_bytes(const Value& value, Graph& graph) {
    if (value.type == TensorType::UINT8) {
        return graph.own_deferred(value.data.size(), [from = value.data](std::span<std::byte> to) {
            std::transform(from.begin(), from.end(), to.begin(),
                           [](std::byte byte) { return byte ^ std::byte{0x80}; });
        });
    }
    if (value.type != TensorType::INT64) return value.data;
    std::vector<std::byte> bytes(value.data.size() / 2);
    for (std::size_t i = 0; i < bytes.size(); i += 4) {
        std::memcpy(bytes.data() + i, value.data.data() + 2 * i, 4);
    }
    return graph.own_bytes(std::move(bytes));
}

Limits limits_of(Activation activation) {
    switch (activation) {
        case Activation::RELU: return {0, kInfinity};
        case Activation::RELU_N1_TO_1: return {-1, 1};
        case Activation::RELU6: return {0, 6};
        case Activation::SIGN_BIT: throw UnsupportedPart("the activation SIGN_BIT");
        case Activation::NONE:
        case Activation::TANH: return {-kInfinity, kInfinity};
    }
    throw UnsupportedPart("the activation number " + std::to_string(static_cast<int>(activation)));
}

TensorIndex Tensors::constant(const Value& value, const Shape& shape, std::string_view role) {
    BlockBuilder& block = ops_.block();
    return block.constant_bytes(value.device(), shape, device_bytes(value, block.graph()), role);
}

TensorIndex Tensors::of(Value& value) {
    if (!value.tensor) value.tensor = constant(value, value.shape, "constant");
    return *value.tensor;
}

TensorIndex Tensors::shaped(Value& value, const Shape& shape, std::string_view role) {
    if (value.is_known && !value.tensor) return constant(value, shape, role);
    return ops_.reshape(of(value), shape, role);
}

TensorIndex Tensors::reals(const Shape& shape, const std::vector<float>& values,
                           std::string_view role) {
    BlockBuilder& block = ops_.block();
    std::vector<std::byte> bytes(values.size() * sizeof(float));
    if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
    return block.constant_bytes(DType::kFp32, shape, block.graph().own_bytes(std::move(bytes)),
                                role);
}

TensorIndex Tensors::real(Value& value) {
    if (value.type == TensorType::FLOAT32) return of(value);
    if (value.is_known) return reals(value.shape, known_reals(value), "real");
    if (!value.is_quantised()) return ops_.cast(of(value), DType::kFp32, "real");
    if (value.quantisation.is_per_channel()) {
        throw UnsupportedPart("several scales of a value that is not constant");
    }
    TensorIndex x = ops_.cast(of(value), DType::kFp32, "real");
    const std::size_t rank = value.rank();
    if (value.zero() != 0) {
        x = ops_.binary(OpCode::kSub, x,
                        ops_.number(DType::kFp32, rank, static_cast<double>(value.zero())),
                        "centred");
    }
    return ops_.product(x, ops_.number(DType::kFp32, rank, value.scale()), "dequantised");
}

TensorIndex Tensors::centred(Value& value) {
    const TensorIndex x = of(value);
    if (ops_.type(x) == DType::kI32) return x;
    const std::int64_t zero = value.quantisation.exists()       ? value.zero()
                              : value.type == TensorType::UINT8 ? -128
                                                                : 0;
    return rescaled(x, 1.0, DType::kI32, {zero, 0});
}

void Tensors::align(std::vector<TensorIndex>& tensors) {
    std::size_t most = 0;
    for (const TensorIndex x : tensors) most = std::max(most, ops_.rank(x));
    for (TensorIndex& x : tensors) {
        Shape shape = ops_.shape(x);
        shape.insert(shape.begin(), most - shape.size(), 1);
        x = ops_.reshape(x, shape, "ranked");
    }
}

TensorIndex Tensors::test(OpCode op, TensorIndex x, TensorIndex y, std::string_view role) {
    std::vector<TensorIndex> operands{x, y};
    align(operands);
    return ops_.test(op, operands[0], operands[1], role);
}

TensorIndex Tensors::select(TensorIndex condition, TensorIndex x, TensorIndex y,
                            std::string_view role) {
    std::vector<TensorIndex> operands{condition, x, y};
    align(operands);
    return ops_.select(operands[0], operands[1], operands[2], role);
}

TensorIndex Tensors::rescaled(TensorIndex x, const std::vector<double>& scales, DType to,
                              Zeros zeros, RoundingMode rounding) {
    const DType from = ops_.type(x);
    const auto is_wide = [](DType type) { return type != DType::kI8; };
    if ((is_wide(from) && zeros.in != 0) || (is_wide(to) && zeros.out != 0)) {
        throw UnsupportedPart("a zero point of INT16 that is not 0");
    }
    const bool is_short = from == DType::kI48;
    std::vector<std::int64_t> multipliers, shifts;
    for (const double scale : scales) {
        const Multiplier m = is_short ? short_multiplier_of(scale) : multiplier_of(scale);
        multipliers.push_back(m.multiplier);
        shifts.push_back(m.shift);
    }
    RescaleAttributes attributes;
    attributes.scale32 = !is_short;
    attributes.per_channel = scales.size() > 1;
    attributes.rounding_mode = is_short ? RoundingMode::kSingleRound : rounding;
    const auto channels = static_cast<std::int64_t>(scales.size());
    BlockBuilder& block = ops_.block();
    const DType width = is_short ? DType::kI16 : DType::kI32;
    const TensorIndex factors = channels == 1
                                    ? ops_.number(width, 1, static_cast<double>(multipliers[0]))
                                    : block.constant(width, {channels}, multipliers, "multiplier");
    const TensorIndex places = channels == 1
                                   ? ops_.number(DType::kI8, 1, static_cast<double>(shifts[0]))
                                   : block.constant(DType::kI8, {channels}, shifts, "shift");
    return block.add(OpCode::kRescale, attributes,
                     {x, factors, places, ops_.number(from, 1, static_cast<double>(zeros.in)),
                      ops_.number(to, 1, static_cast<double>(zeros.out))},
                     to, ops_.shape(x), "rescaled");
}

TensorIndex Tensors::narrowed(TensorIndex sums) {
    constexpr double kOne = 1 << 14;
    RescaleAttributes attributes;
    attributes.rounding_mode = RoundingMode::kSingleRound;
    return ops_.block().add(
        OpCode::kRescale, attributes,
        {sums, ops_.number(DType::kI16, 1, kOne), ops_.number(DType::kI8, 1, 14),
         ops_.number(DType::kI48, 1, 0), ops_.number(DType::kI32, 1, 0)},
        DType::kI32, ops_.shape(sums), "narrowed");
}

// Twice x makes the first rounding exact.
TensorIndex Tensors::divided(TensorIndex x, int bits, DType to) {
    return rescaled(shifted(x, 1), std::ldexp(0.5, -bits), to, {0, 0}, RoundingMode::kDoubleRound);
}

TensorIndex Tensors::shifted(TensorIndex x, int bits) {
    return ops_.binary(OpCode::kLogicalLeftShift, x, ops_.number(DType::kI32, ops_.rank(x), bits),
                       "shifted");
}

// The quotient is the product with the reciprocal, corrected by the remainder. The remainder is
// exact, because its products have factors of at most 12 bits (Dekker).
TensorIndex Tensors::quotient(TensorIndex x, float divisor) {
    const std::size_t rank = ops_.rank(x);
    const auto number = [&](float value) { return ops_.number(DType::kFp32, rank, value); };
    const float reciprocal = 1.0F / divisor;
    const TensorIndex first = ops_.product(x, number(reciprocal), "quotient");
    int exponent = 0;
    if (std::frexp(divisor, &exponent) == 0.5F) return first;
    constexpr float kSplit = 4097.0F;  // 2^12 + 1
    const float spread = kSplit * divisor;
    const float high = spread - (spread - divisor);
    const float low = divisor - high;
    const TensorIndex wide = ops_.product(first, number(kSplit), "spread");
    const TensorIndex first_high = ops_.binary(
        OpCode::kSub, wide, ops_.binary(OpCode::kSub, wide, first, "spread_rest"), "high");
    const TensorIndex first_low = ops_.binary(OpCode::kSub, first, first_high, "low");
    TensorIndex rest = x;
    for (const auto& [part, factor] :
         {std::pair(first_high, high), {first_high, low}, {first_low, high}, {first_low, low}}) {
        rest = ops_.binary(OpCode::kSub, rest, ops_.product(part, number(factor), "part"), "rest");
    }
    return ops_.binary(OpCode::kAdd, first, ops_.product(rest, number(reciprocal), "correction"),
                       "corrected");
}

TensorIndex Tensors::quantised(TensorIndex x, const Value& like, bool is_exact) {
    if (like.type == TensorType::FLOAT32) return x;
    const std::size_t rank = ops_.rank(x);
    if (!like.is_quantised()) return ops_.cast(x, like.device(), "converted");
    if (like.quantisation.is_per_channel()) {
        throw UnsupportedPart("several scales of a value that is not constant");
    }
    const auto number = [&](double value) { return ops_.number(DType::kFp32, rank, value); };
    const auto scale = static_cast<float>(like.scale());
    if (is_exact) {  // infinities have no remainder
        x = ops_.clamp(x, static_cast<double>(like.least() - like.zero() - 1) * scale,
                       static_cast<double>(like.most() - like.zero() + 1) * scale, "finite");
    }
    TensorIndex q = is_exact ? quotient(x, scale) : ops_.product(x, number(1.0F / scale), "scaled");
    // Beyond these limits the range decides. They also keep the numbers below exact.
    const auto zero = static_cast<double>(like.zero());
    q = ops_.clamp(q, static_cast<double>(like.least()) - zero,
                   static_cast<double>(like.most()) - zero, "limited");
    // Halves go away from zero: the whole part of twice the rest is 1 from a half on.
    const TensorIndex distance = ops_.unary(OpCode::kAbs, q, "distance");
    const TensorIndex whole = ops_.unary(OpCode::kFloor, distance, "whole");
    const TensorIndex rest = ops_.binary(OpCode::kSub, distance, whole, "rest");
    const TensorIndex up =
        ops_.unary(OpCode::kFloor, ops_.binary(OpCode::kAdd, rest, rest, "twice_rest"), "up");
    const TensorIndex size = ops_.binary(OpCode::kAdd, whole, up, "size");
    const TensorIndex negative = ops_.binary(OpCode::kSub, number(0), size, "negative");
    q = ops_.select(ops_.test(OpCode::kGreaterEqual, q, number(0), "is_positive"), size, negative,
                    "rounded");
    if (zero != 0) q = ops_.binary(OpCode::kAdd, q, number(zero), "moved");
    return ops_.cast(q, like.device(), "quantised");
}

TensorIndex Tensors::real_activated(TensorIndex x, Activation activation) {
    if (activation == Activation::TANH) return ops_.unary(OpCode::kTanh, x, "tanh");
    const Limits limits = limits_of(activation);
    return ops_.clamp(x, limits.low, limits.high, "activated");
}

TensorIndex Tensors::integer_activated(TensorIndex x, Activation activation) {
    const Limits limits = limits_of(activation);
    const auto number = [&](double value) { return ops_.number(DType::kI32, ops_.rank(x), value); };
    if (limits.low > -kInfinity) {
        x = ops_.binary(OpCode::kMaximum, x, number(limits.low), "at_least");
    }
    if (limits.high < kInfinity) {
        x = ops_.binary(OpCode::kMinimum, x, number(limits.high), "at_most");
    }
    return x;
}

TensorIndex Tensors::activated(TensorIndex x, const Value& like, Activation activation) {
    if (activation == Activation::NONE) return x;
    if (ops_.type(x) == DType::kI32) return integer_activated(x, activation);
    if (!like.is_quantised()) return real_activated(x, activation);
    if (activation == Activation::TANH) throw UnsupportedPart("the activation TANH of integers");
    return limited(x, like, limits_of(activation));
}

TensorIndex Tensors::limited(TensorIndex x, const Value& like, const Limits& limits) {
    const auto bound = [&](double limit, std::int64_t otherwise) {
        if (std::isinf(limit)) return otherwise;
        const double q = static_cast<double>(like.zero()) + std::round(limit / like.scale());
        return static_cast<std::int64_t>(
            std::clamp(q, static_cast<double>(like.least()), static_cast<double>(like.most())));
    };
    const std::int64_t low = bound(limits.low, like.least());
    const std::int64_t high = bound(limits.high, like.most());
    if (low == like.least() && high == like.most()) return x;
    return ops_.clamp(x, static_cast<double>(low), static_cast<double>(high), "activated");
}

}  // namespace okksim::sim::graph::tflite
