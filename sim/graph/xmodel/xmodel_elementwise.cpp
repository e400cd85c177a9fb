// SPDX-License-Identifier: Apache-2.0
// Eltwise, Relu and Relu6.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numeric>

#include "sim/graph/xmodel/xmodel_lowering.h"

namespace okksim::sim::graph::xmodel {

Lowering::Aligned Lowering::aligned(const std::vector<Value*>& values) {
    const Value& first = *values[0];
    Aligned result;
    const bool is_same_rank = std::all_of(values.begin(), values.end(),
                                          [](const Value* value) { return value->rank() == 4; });
    result.is_channels_last = is_same_rank && first.channels_last && !first.declared;
    for (Value* value : values) {
        result.tensors.push_back(result.is_channels_last ? tensors_.channels_last(*value)
                                                         : tensors_.declared(*value));
    }
    return result;
}

void Lowering::set_aligned(const Aligned& operands, Value& result, TensorIndex tensor) {
    (operands.is_channels_last ? result.channels_last : result.declared) = tensor;
}

void Lowering::eltwise(const Call& call, Value& result) {
    const Value& first = call.input();
    require_arithmetic(first);
    if (first.type.is_fixed()) return fixed_eltwise(call, result);
    const std::string kind = call.node.text("type", "ADD");
    if (kind != "ADD") throw UnsupportedPart("eltwise of type " + kind, false);
    std::vector<std::int64_t> alpha(call.inputs.size(), 1);
    if (call.is_oplib()) {
        alpha = call.node.integers("alpha").value_or(alpha);
        if (alpha.empty()) alpha.assign(call.inputs.size(), 1);
    }
    if (alpha.size() != call.inputs.size()) {
        call.node.illegal("alpha", list_text(alpha),
                          "alpha has a value per input, " + std::to_string(call.inputs.size()));
    }
    result.shape = joint_shape(call);
    const Aligned operands = aligned(call.inputs);
    if (first.type.is_integer()) {
        return set_aligned(operands, result, scaled_sum(first, operands.tensors, alpha));
    }
    std::optional<TensorIndex> sum;
    for (std::size_t i = 0; i < alpha.size(); ++i) {
        TensorIndex term = operands.tensors[i];
        const bool is_difference = sum && alpha[i] == -1;
        if (alpha[i] != 1 && !is_difference) {
            const auto factor = static_cast<double>(alpha[i]);
            term =
                ops_.product(term, ops_.number(ops_.type(term), ops_.rank(term), factor), "scaled");
        }
        const OpCode op = is_difference ? OpCode::kSub : OpCode::kAdd;
        sum = sum ? ops_.binary(op, *sum, term, "sum") : term;
    }
    set_aligned(operands, result, *sum);
}

Shape Lowering::joint_shape(const Call& call) {
    Shape shape = call.input().shape;
    for (const Value* value : call.inputs) {
        require_type(call, *value, "input");
        if (value->shape == shape) continue;
        // XIR files broadcast dimensions of 1.
        bool fits = !call.is_oplib();
        const std::size_t rank = std::max(shape.size(), value->rank());
        Shape wanted(rank, 1);
        for (std::size_t i = 0; i < rank && fits; ++i) {
            const auto at = [&](const Shape& of) {
                return i + of.size() < rank ? 1 : of[i + of.size() - rank];
            };
            const std::int64_t a = at(shape), b = at(value->shape);
            fits = a == b || a == 1 || b == 1;
            wanted[i] = std::max(a, b);
        }
        if (!fits) {
            call.node.illegal("input " + value->name, shape_text(value->shape),
                              "the shapes match, here " + shape_text(shape));
        }
        shape = wanted;
    }
    return shape;
}

TensorIndex Lowering::scaled_sum(const Value& value, const std::vector<TensorIndex>& inputs,
                                 const std::vector<std::int64_t>& alpha) {
    constexpr std::int64_t kRoom = std::int64_t{1} << 31;
    const std::int64_t magnitude =
        std::accumulate(alpha.begin(), alpha.end(), std::int64_t{0},
                        [](std::int64_t sum, std::int64_t a) { return sum + std::abs(a); });
    const int bits = value.type.bits;
    if (bits > 16 || magnitude >= kRoom >> (bits - 1)) return wide_sum(value, inputs, alpha);
    std::optional<TensorIndex> sum;
    for (std::size_t i = 0; i < alpha.size(); ++i) {
        TensorIndex term = ops_.cast(inputs[i], DType::kI32, "widened");
        if (alpha[i] != 1) {
            const auto factor = static_cast<double>(alpha[i]);
            term = ops_.product(term, ops_.number(DType::kI32, ops_.rank(term), factor), "scaled");
        }
        sum = sum ? ops_.binary(OpCode::kAdd, *sum, term, "sum") : term;
    }
    return ops_.cast(*sum, value.type.device_type(), "narrowed");
}

// Partial sums may overflow the type although the total does not, so sums are computed digit by
// digit.
TensorIndex Lowering::wide_sum(const Value& value, const std::vector<TensorIndex>& inputs,
                               const std::vector<std::int64_t>& alpha) {
    const std::size_t count = value.type.bytes();
    std::vector<std::optional<TensorIndex>> sums(count);
    for (std::size_t n = 0; n < inputs.size(); ++n) {
        const std::vector<TensorIndex> digits = digits_.split(value.type, inputs[n], false);
        std::int64_t rest = alpha[n];
        for (std::size_t j = 0; j < count; ++j) {
            const auto digit = static_cast<std::int8_t>(static_cast<std::uint64_t>(rest) & 0xFF);
            rest = (rest >> 8) + (digit < 0 ? 1 : 0);
            // The lowest digit stays even if it is zero, so that every sum has a term.
            if (digit == 0 && j > 0) continue;
            for (std::size_t i = 0; i + j < count; ++i) {
                TensorIndex term = ops_.cast(digits[i], DType::kI32, "digit");
                if (digit != 1) {
                    term = ops_.product(term, ops_.number(DType::kI32, ops_.rank(term), digit),
                                        "scaled");
                }
                std::optional<TensorIndex>& sum = sums[i + j];
                sum = sum ? ops_.binary(OpCode::kAdd, *sum, term, "digit_sum") : term;
            }
        }
    }
    std::vector<TensorIndex> all;
    for (const std::optional<TensorIndex>& sum : sums) all.push_back(*sum);
    return digits_.join(value.type, all);
}

void Lowering::fixed_eltwise(const Call& call, Value& result) {
    require_arithmetic(call.input());
    const std::string kind = call.node.text("type", "ADD");
    if (kind != "ADD" && kind != "MUL") throw UnsupportedPart("eltwise of type " + kind, false);
    if (const auto alpha = call.node.integers("alpha")) {
        for (const std::int64_t value : *alpha) {
            if (value != 1) throw UnsupportedPart("alpha of fixed-point numbers", false);
        }
    }
    result.shape = joint_shape(call);
    const Aligned operands = aligned(call.inputs);
    int point = kind == "ADD" ? fix_point(call, call.input()) : 0;
    for (const Value* value : call.inputs) {
        const int own = fix_point(call, *value);
        point = kind == "ADD" ? std::max(point, own) : point + own;
    }
    std::optional<TensorIndex> sum;
    std::int64_t bound = kind == "ADD" ? 0 : 1;
    for (std::size_t i = 0; i < call.inputs.size(); ++i) {
        TensorIndex term = ops_.cast(operands.tensors[i], DType::kI32, "widened");
        const int up = kind == "ADD" ? point - fix_point(call, *call.inputs[i]) : 0;
        if (up > 22) throw UnsupportedPart("fix_points that differ by more than 22", false);
        if (up > 0) {
            const TensorIndex bits = ops_.number(DType::kI32, ops_.rank(term), up);
            term = ops_.binary(OpCode::kLogicalLeftShift, term, bits, "aligned");
        }
        bound = kind == "ADD" ? bound + (std::int64_t{128} << up) : bound << 7;
        if (bound >= std::int64_t{1} << 31) {
            throw UnsupportedPart("eltwise with this number of fixed-point inputs", false);
        }
        if (!sum) {
            sum = term;
        } else {
            sum = kind == "ADD" ? ops_.binary(OpCode::kAdd, *sum, term, "sum")
                                : ops_.product(*sum, term, "product");
        }
    }
    const int out_point = fix_point(call, result);
    const int cut = point - out_point;
    if (cut < -16) throw UnsupportedPart("fix_points that differ by more than 16", false);
    const TensorIndex scaled = fixed_.scaled(*sum, cut, result.rounding, bound);
    set_aligned(operands, result, fixed_.activated(call.node, scaled, out_point, result.rounding));
}

// The high word of 64-bit elements has the sign. The bits of positive FLOAT64 values have the order
// of the values; the bits of 6 are 0x4018000000000000.
TensorIndex Lowering::clamped_wide(const ElementType& type, TensorIndex x, std::optional<int> top) {
    TensorIndex low = digits_.word(x, 0), high = digits_.word(x, 1);
    const TensorIndex zero = ops_.number(DType::kI32, ops_.rank(low), 0);
    const TensorIndex is_positive = ops_.test(OpCode::kGreaterEqual, high, zero, "is_positive");
    if (top && type.is_float()) {
        const std::int64_t bits = std::bit_cast<std::int64_t>(static_cast<double>(*top));
        const TensorIndex limit =
            ops_.number(DType::kI32, ops_.rank(low), static_cast<double>(bits >> 32));
        const TensorIndex is_below = ops_.test(OpCode::kGreater, limit, high, "is_below");
        low = ops_.select(is_below, low, zero, "limited");
        high = ops_.select(is_below, high, limit, "limited_high");
    } else if (top) {
        const TensorIndex limit = ops_.number(DType::kI32, ops_.rank(low), *top);
        const TensorIndex is_large = ops_.test(OpCode::kGreater, high, zero, "is_large");
        const TensorIndex beyond = ops_.test(OpCode::kGreater, low, limit, "low_beyond");
        const TensorIndex far = ops_.test(OpCode::kGreater, zero, low, "low_far");
        const auto either = [&](TensorIndex a, TensorIndex b) {
            return ops_.block().add(OpCode::kLogicalOr, NoAttributes{}, {a, b}, DType::kBool,
                                    ops_.shape(a), "either");
        };
        low = ops_.select(either(is_large, either(beyond, far)), limit, low, "limited");
        high = ops_.select(is_large, zero, high, "limited_high");
    }
    return digits_.pair(ops_.select(is_positive, low, zero, "low"),
                        ops_.select(is_positive, high, zero, "high"));
}

TensorIndex Lowering::order_bits(TensorIndex x) {
    const TensorIndex low = digits_.word(x, 0), high = digits_.word(x, 1);
    const auto number = [&](double value) {
        return ops_.number(DType::kI32, ops_.rank(low), value);
    };
    const TensorIndex is_negative = ops_.test(OpCode::kGreater, number(0), high, "is_negative");
    const auto flipped = [&](TensorIndex word, double bits) {
        const TensorIndex other = ops_.binary(OpCode::kBitwiseXor, word, number(bits), "flipped");
        return ops_.select(is_negative, other, word, "ordered");
    };
    constexpr double kAllButSign = std::numeric_limits<std::int32_t>::max();
    return digits_.pair(flipped(low, -1), flipped(high, kAllButSign));
}

void Lowering::clamp_values(const Call& call, Value& result, std::optional<int> top) {
    Value& input = call.input();
    require_order(input);
    result.shape = input.shape;
    const Aligned operand = aligned({&input});
    TensorIndex x = operand.tensors[0];
    const ElementType& type = input.type;
    if (type.is_wide()) return set_aligned(operand, result, clamped_wide(type, x, top));
    if (type.bits == 32 && type.is_integer()) {
        x = ops_.binary(OpCode::kMaximum, x, ops_.number(DType::kI32, input.rank(), 0), "positive");
        if (top) {
            x = ops_.binary(OpCode::kMinimum, x, ops_.number(DType::kI32, input.rank(), *top),
                            "limited");
        }
        return set_aligned(operand, result, x);
    }
    double most = type.is_float() ? std::numeric_limits<double>::infinity()
                                  : std::ldexp(1.0, type.bits - 1) - 1;
    if (top && type.is_fixed()) {
        const int point = std::min(fix_point(call, input), 16);
        // With a step above 1, the limit 6 is between two numbers and would need rounding
        // afterwards.
        if (point < 0) throw UnsupportedPart("RELU6 of numbers without a fraction", false);
        most = std::min(most, std::ldexp(*top, point));
    } else if (top) {
        most = *top;
    }
    x = ops_.clamp(x, 0, most, "clamped");
    if (type.is_fixed()) {
        x = fixed_.moved(x, fix_point(call, input), fix_point(call, result), result.rounding);
    }
    set_aligned(operand, result, x);
}

void Lowering::relu(const Call& call, Value& result) { clamp_values(call, result, std::nullopt); }

void Lowering::relu6(const Call& call, Value& result) { clamp_values(call, result, 6); }

}  // namespace okksim::sim::graph::xmodel
