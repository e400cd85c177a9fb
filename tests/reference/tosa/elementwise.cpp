// SPDX-License-Identifier: Apache-2.0
// Sections 2.4 to 2.8: one result per position.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "isa/base/errors.h"
#include "tests/reference/tosa/operators.h"

namespace okksim::reference {
namespace {

using tosa::NanPropagationMode;

bool ignores(NanPropagationMode mode) { return mode == NanPropagationMode::kIgnore; }

/// Position in `operand` of an output position: extents of 1 broadcast.
std::int64_t position(const Value& operand, const Shape& index) {
    std::int64_t flat = 0;
    for (std::size_t i = 0; i < operand.shape.size(); ++i) {
        flat = flat * operand.shape[i] + (operand.shape[i] == 1 ? 0 : index[i]);
    }
    return flat;
}

double real(const Value& value, const Shape& index) {
    return value.real[static_cast<std::size_t>(position(value, index))];
}
std::int64_t integer(const Value& value, const Shape& index) {
    return value.integer[static_cast<std::size_t>(position(value, index))];
}

std::int64_t shift_right(const Node& node, std::int64_t a, std::int64_t amount) {
    const bool round = node.attributes<tosa::ArithmeticRightShiftAttributes>().round;
    std::int64_t result = a >> amount;
    if (round && amount > 0 && ((a >> (amount - 1)) & 1) != 0) ++result;
    return result;
}

std::int64_t multiply(const Node& node, std::int64_t a, std::int64_t b) {
    const std::int64_t shift = node.in[2]->integer[0];
    if (shift == 0) {
        return wrap(DType::kI32, static_cast<std::int64_t>(static_cast<std::uint64_t>(a) *
                                                           static_cast<std::uint64_t>(b)));
    }
    return (a * b + (std::int64_t{1} << (shift - 1))) >> shift;
}

std::uint64_t unsigned_bits(DType type, std::int64_t value) {
    return static_cast<std::uint64_t>(value) & (static_cast<std::uint64_t>(highest(type)) * 2 + 1);
}

std::int64_t leading_zeros(std::int64_t value) {
    return std::countl_zero(static_cast<std::uint32_t>(value));
}

/// Integer and bool results of two operands, or of one (b is then 0).
std::int64_t integer_result(const Node& node, std::int64_t a, std::int64_t b) {
    const DType type = node.in[0]->type;
    switch (node.op.op) {
        case OpCode::kAdd: return a + b;
        case OpCode::kSub: return a - b;
        case OpCode::kMul: return multiply(node, a, b);
        case OpCode::kIntdiv: return a / b;
        case OpCode::kArithmeticRightShift: return shift_right(node, a, b);
        case OpCode::kLogicalLeftShift:
            return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) << b);
        case OpCode::kLogicalRightShift:
            return static_cast<std::int64_t>(unsigned_bits(type, a) >> b);
        case OpCode::kBitwiseAnd:
        case OpCode::kLogicalAnd: return a & b;
        case OpCode::kBitwiseOr:
        case OpCode::kLogicalOr: return a | b;
        case OpCode::kBitwiseXor:
        case OpCode::kLogicalXor: return a ^ b;
        case OpCode::kMaximum: return std::max(a, b);
        case OpCode::kMinimum: return std::min(a, b);
        case OpCode::kAbs: return std::abs(a);
        case OpCode::kBitwiseNot: return ~a;
        case OpCode::kLogicalNot: return 1 - a;
        case OpCode::kClz: return leading_zeros(a);
        case OpCode::kEqual: return a == b;
        case OpCode::kGreater: return a > b;
        case OpCode::kGreaterEqual: return a >= b;
        default: break;
    }
    throw InternalError("the reference lacks the integer operator " +
                        std::string(tosa::op_name(node.op.op)));
}

double power(double a, double b) { return std::pow(a, b); }

double real_result(const Node& node, double a, double b) {
    switch (node.op.op) {
        case OpCode::kAdd: return a + b;
        case OpCode::kSub: return a - b;
        case OpCode::kMul: return a * b;
        case OpCode::kPow: return power(a, b);
        case OpCode::kMaximum:
            return maximum(a, b, ignores(node.attributes<tosa::MaximumAttributes>().nan_mode));
        case OpCode::kMinimum:
            return minimum(a, b, ignores(node.attributes<tosa::MinimumAttributes>().nan_mode));
        case OpCode::kAbs: return std::abs(a);
        case OpCode::kCeil: return std::ceil(a);
        case OpCode::kFloor: return std::floor(a);
        case OpCode::kCos: return std::cos(a);
        case OpCode::kSin: return std::sin(a);
        case OpCode::kExp: return std::exp(a);
        case OpCode::kLog: return std::log(a);
        case OpCode::kErf: return std::erf(a);
        case OpCode::kTanh: return std::tanh(a);
        case OpCode::kSigmoid: return 1.0 / (1.0 + std::exp(-a));
        case OpCode::kReciprocal: return 1.0 / a;
        case OpCode::kRsqrt: return 1.0 / std::sqrt(a);
        default: break;
    }
    throw InternalError("the reference lacks the floating-point operator " +
                        std::string(tosa::op_name(node.op.op)));
}

bool comparison(OpCode op, double a, double b) {
    if (op == OpCode::kEqual) return a == b;
    return op == OpCode::kGreater ? a > b : a >= b;
}

bool is_comparison(OpCode op) {
    return op == OpCode::kEqual || op == OpCode::kGreater || op == OpCode::kGreaterEqual;
}

/// The part of the functions' error formulas that depends on the operand (sections 2.4.3, 2.4.4,
/// 2.5.15, 2.7); the other part depends on the result.
double bound_of(OpCode op, double x) {
    switch (op) {
        case OpCode::kCos: return 1.0 + std::abs(x);
        case OpCode::kSin: return x;
        case OpCode::kLog: return 5.0;
        case OpCode::kTanh: return 8.0 * std::abs(x);
        case OpCode::kSigmoid: return 2.0 * (1.0 + std::abs(x));
        default: return 2.0 * std::abs(x);
    }
}

/// Error bound of POW, from the errors of the exponent y * log(x) and of the exponentiation
/// (2.5.15). An error in the exponent scales the result by expm1(error), here to first order. The
/// golden vectors omit the formula's lower bound for bases near 1.
double power_bound(double x, double y) { return (2.0 + 5.5) * std::abs(y * std::log(x)); }

/// An attribute value of CLAMP.
Value clamp_limit(DType type, const tosa::ElementBytes& element) {
    std::vector<std::byte> bytes(8);
    std::memcpy(bytes.data(), element.bytes.data(), 8);
    return from_host(sim::graph::constant_value(type, {}, bytes));
}

void clamp(const Node& node) {
    const auto& attributes = node.attributes<tosa::ClampAttributes>();
    const Value& input = *node.in[0];
    Value& output = *node.out[0];
    const Value low = clamp_limit(input.type, attributes.min_val);
    const Value high = clamp_limit(input.type, attributes.max_val);
    for (std::size_t i = 0; i < static_cast<std::size_t>(input.count()); ++i) {
        if (input.is_float()) {
            const bool ignore = ignores(attributes.nan_mode);
            output.real[i] =
                minimum(maximum(input.real[i], low.real[0], ignore), high.real[0], ignore);
        } else {
            output.integer[i] = std::clamp(input.integer[i], low.integer[0], high.integer[0]);
        }
    }
}

void negate(const Node& node) {
    const Value& input = *node.in[0];
    Value& output = *node.out[0];
    for (std::size_t i = 0; i < static_cast<std::size_t>(input.count()); ++i) {
        if (input.is_float()) {
            output.real[i] = -input.real[i];
        } else {
            const std::int64_t value =
                node.in[2]->integer[0] - (input.integer[i] - node.in[1]->integer[0]);
            output.integer[i] = std::clamp(value, lowest(output.type), highest(output.type));
        }
    }
}

void select(const Node& node) {
    Value& output = *node.out[0];
    for_each_position(output.shape, [&](const Shape& index, std::int64_t flat) {
        const Value& chosen = *node.in[integer(*node.in[0], index) != 0 ? 1 : 2];
        if (output.is_float()) {
            output.real[static_cast<std::size_t>(flat)] = real(chosen, index);
        } else {
            output.integer[static_cast<std::size_t>(flat)] = integer(chosen, index);
        }
    });
}

}  // namespace

void elementwise(const Node& node) {
    const OpCode op = node.op.op;
    if (op == OpCode::kClamp) return clamp(node);
    if (op == OpCode::kNegate) return negate(node);
    if (op == OpCode::kSelect) return select(node);
    const Value& first = *node.in[0];
    const Value* second = node.in.size() > 1 ? node.in[1] : nullptr;
    Value& output = *node.out[0];
    const bool has_bound = node.bounds && output.is_float();
    if (has_bound) output.bound.resize(output.real.size());
    for_each_position(output.shape, [&](const Shape& index, std::int64_t flat) {
        const auto i = static_cast<std::size_t>(flat);
        if (!first.is_float()) {
            const std::int64_t b = second != nullptr ? integer(*second, index) : 0;
            output.integer[i] = wrap(output.type, integer_result(node, integer(first, index), b));
            return;
        }
        const double a = real(first, index);
        const double b = second != nullptr ? real(*second, index) : 0;
        if (is_comparison(op)) {
            output.integer[i] = comparison(op, a, b);
            return;
        }
        output.real[i] = real_result(node, a, b);
        if (!has_bound) return;
        output.bound[i] = op == OpCode::kPow ? power_bound(a, b) : bound_of(op, a);
    });
}

}  // namespace okksim::reference
