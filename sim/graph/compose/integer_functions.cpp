// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/compose/integer_functions.h"

#include <functional>

#include "sim/graph/compose/real.h"

namespace okksim::sim::graph::compose {

namespace {

/// Operators on kI32 tensors.
class Whole {
 public:
    Whole(OperatorBuilder& ops, TensorIndex tensor) : ops_(&ops), tensor(tensor) {}

    Whole number(std::int64_t value) const {
        return {*ops_, ops_->number(DType::kI32, ops_->rank(tensor), static_cast<double>(value))};
    }
    Whole binary(OpCode op, const Whole& y, std::string_view role) const {
        return {*ops_, ops_->binary(op, tensor, y.tensor, role)};
    }
    Whole operator+(const Whole& y) const { return binary(OpCode::kAdd, y, "sum"); }
    Whole operator-(const Whole& y) const { return binary(OpCode::kSub, y, "difference"); }
    Whole operator*(const Whole& y) const {
        return {*ops_, ops_->product(tensor, y.tensor, "product")};
    }
    Whole operator/(const Whole& y) const { return binary(OpCode::kIntdiv, y, "quotient"); }
    Whole operator^(const Whole& y) const { return binary(OpCode::kBitwiseXor, y, "differing"); }
    Whole operator&(const Whole& y) const { return binary(OpCode::kBitwiseAnd, y, "common"); }
    /// -1 for numbers below zero, otherwise 0.
    Whole sign_mask() const {
        return binary(OpCode::kArithmeticRightShift, number(31), "sign_mask");
    }
    Whole chosen(TensorIndex condition, const Whole& y) const {
        return {*ops_, choose(*ops_, condition, tensor, y.tensor)};
    }

 private:
    OperatorBuilder* ops_;

 public:
    TensorIndex tensor;
};

TensorIndex wide(OperatorBuilder& ops, TensorIndex x) {
    return ops.cast(x, DType::kI32, "widened");
}

template <typename Formula>
TensorIndex in_i32(OperatorBuilder& ops, TensorIndex x, TensorIndex y, const Formula& formula) {
    const DType type = ops.type(x);
    const Whole result = formula(Whole(ops, wide(ops, x)), Whole(ops, wide(ops, y)));
    return ops.cast(result.tensor, type, "narrowed");
}
template <typename Formula>
TensorIndex in_i32(OperatorBuilder& ops, TensorIndex x, const Formula& formula) {
    const DType type = ops.type(x);
    return ops.cast(formula(Whole(ops, wide(ops, x))).tensor, type, "narrowed");
}

/// -1 where the remainder is not zero and has another sign than the divisor y, otherwise 0.
Whole differs_in_sign(const Whole& rest, const Whole& y) {
    const Whole mask = y.sign_mask();
    return ((rest ^ mask) - mask).sign_mask();
}

/// x^y for y from 0 to 31.
Whole bitwise_power(OperatorBuilder& ops, Whole x, const Whole& y) {
    constexpr int kBits = 5;
    const Whole one = y.number(1);
    Whole result = one;
    for (int bit = 0; bit < kBits; ++bit) {
        const Whole part = y & y.number(1 << bit);
        const TensorIndex is_clear = compare(ops, OpCode::kEqual, part.tensor, y.number(0).tensor);
        const Whole factor = one.chosen(is_clear, x);
        result = bit == 0 ? factor : result * factor;
        if (bit + 1 < kBits) x = x * x;
    }
    return result;
}

TensorIndex shifted_by(OperatorBuilder& ops, OpCode op, TensorIndex x, TensorIndex amount) {
    const auto bits = static_cast<std::int64_t>(storage_bits(ops.type(x)));
    const Whole wanted(ops, wide(ops, amount));
    const Whole most = wanted.number(bits - 1);
    const Whole bounded = wanted.binary(OpCode::kMinimum, most, "bounded");
    const DType type = ops.type(x);
    const TensorIndex steps = ops.cast(bounded.tensor, type, "steps");
    const TensorIndex shifted = ops.binary(op, x, steps, "shifted");
    if (op == OpCode::kArithmeticRightShift) return shifted;
    const TensorIndex is_far = compare(ops, OpCode::kGreater, wanted.tensor, most.tensor);
    return choose(ops, is_far, ops.number(type, ops.rank(shifted), 0), shifted);
}

TensorIndex chain(OperatorBuilder& ops, OpCode op, const std::vector<TensorIndex>& operands) {
    const DType type = ops.type(operands[0]);
    const bool is_narrow = type == DType::kI8 || type == DType::kI16;
    const DType computed = is_narrow ? DType::kI32 : type;
    if (operands.size() == 1) return operands[0];
    TensorIndex result = ops.cast(operands[0], computed, "widened");
    for (std::size_t i = 1; i < operands.size(); ++i) {
        result = ops.binary(op, result, ops.cast(operands[i], computed, "widened"), "extremum");
    }
    return ops.cast(result, type, "narrowed");
}

}  // namespace

TensorIndex integer_divide(OperatorBuilder& ops, TensorIndex x, TensorIndex y) {
    return in_i32(ops, x, y, std::divides<>());
}

TensorIndex integer_floor_divide(OperatorBuilder& ops, TensorIndex x, TensorIndex y) {
    return in_i32(ops, x, y, [](const Whole& a, const Whole& b) {
        const Whole quotient = a / b;
        return quotient + differs_in_sign(a - quotient * b, b);
    });
}

TensorIndex integer_floor_modulo(OperatorBuilder& ops, TensorIndex x, TensorIndex y) {
    return in_i32(ops, x, y, [](const Whole& a, const Whole& b) {
        const Whole rest = a - a / b * b;
        return rest + (differs_in_sign(rest, b) & b);
    });
}

TensorIndex integer_c_modulo(OperatorBuilder& ops, TensorIndex x, TensorIndex y) {
    return in_i32(ops, x, y, [](const Whole& a, const Whole& b) { return a - a / b * b; });
}

// Powers of numbers other than -1, 0 and 1 exceed kI32 for exponents above 31. Those of -1, 0 and 1
// depend on the lowest bit of the exponent alone.
TensorIndex integer_power(OperatorBuilder& ops, TensorIndex x, TensorIndex y) {
    return in_i32(ops, x, y, [&ops](const Whole& base, const Whole& exponent) {
        const Whole zero = exponent.number(0);
        const Whole magnitude(ops, ops.unary(OpCode::kAbs, exponent.tensor, "magnitude"));
        const Whole most = (exponent & exponent.number(1)) + exponent.number(30);
        const Whole result =
            bitwise_power(ops, base, magnitude.binary(OpCode::kMinimum, most, "bounded"));
        const Whole size(ops, ops.unary(OpCode::kAbs, base.tensor, "size"));
        const TensorIndex is_large =
            compare(ops, OpCode::kGreater, size.tensor, size.number(1).tensor);
        const TensorIndex is_inverse = compare(ops, OpCode::kGreater, zero.tensor, exponent.tensor);
        const TensorIndex is_zero =
            ops.binary(OpCode::kLogicalAnd, is_inverse, is_large, "is_zero");
        return zero.chosen(is_zero, result);
    });
}

TensorIndex integer_power_of(OperatorBuilder& ops, TensorIndex x, std::int64_t exponent) {
    if (exponent == 1) return x;
    if (exponent < 1 || exponent > 31) {
        const auto y = static_cast<double>(exponent);
        return integer_power(ops, x, ops.number(DType::kI32, ops.rank(x), y));
    }
    return in_i32(ops, x, [exponent](const Whole& base) {
        Whole result = base;
        int top = 4;
        while ((exponent >> top) == 0) --top;
        for (int bit = top - 1; bit >= 0; --bit) {
            result = result * result;
            if (((exponent >> bit) & 1) != 0) result = result * base;
        }
        return result;
    });
}

TensorIndex integer_sign(OperatorBuilder& ops, TensorIndex x) {
    return in_i32(ops, x, [](const Whole& a) {
        return a.binary(OpCode::kMaximum, a.number(-1), "above")
            .binary(OpCode::kMinimum, a.number(1), "sign");
    });
}

TensorIndex integer_absolute(OperatorBuilder& ops, TensorIndex x) {
    return in_i32(ops, x, [&ops](const Whole& a) {
        return Whole(ops, ops.unary(OpCode::kAbs, a.tensor, "magnitude"));
    });
}

// MUL keeps the low 32 bits, whereas NEGATE saturates.
TensorIndex integer_negative(OperatorBuilder& ops, TensorIndex x) {
    return in_i32(ops, x, [&ops, is_wide = ops.type(x) == DType::kI32](const Whole& a) {
        return is_wide ? a * a.number(-1) : a.number(0) - a;
    });
}

TensorIndex integer_add(OperatorBuilder& ops, TensorIndex x, TensorIndex y) {
    return in_i32(ops, x, y, std::plus<>());
}
TensorIndex integer_subtract(OperatorBuilder& ops, TensorIndex x, TensorIndex y) {
    return in_i32(ops, x, y, std::minus<>());
}
TensorIndex integer_multiply(OperatorBuilder& ops, TensorIndex x, TensorIndex y) {
    const DType type = ops.type(x);
    return ops.cast(ops.product(x, y, "product"), type, "narrowed");
}

TensorIndex shift_left(OperatorBuilder& ops, TensorIndex x, TensorIndex amount) {
    return shifted_by(ops, OpCode::kLogicalLeftShift, x, amount);
}
TensorIndex shift_right_unsigned(OperatorBuilder& ops, TensorIndex x, TensorIndex amount) {
    return shifted_by(ops, OpCode::kLogicalRightShift, x, amount);
}
TensorIndex shift_right_signed(OperatorBuilder& ops, TensorIndex x, TensorIndex amount) {
    return shifted_by(ops, OpCode::kArithmeticRightShift, x, amount);
}

TensorIndex maximum_of(OperatorBuilder& ops, const std::vector<TensorIndex>& operands) {
    return chain(ops, OpCode::kMaximum, operands);
}
TensorIndex minimum_of(OperatorBuilder& ops, const std::vector<TensorIndex>& operands) {
    return chain(ops, OpCode::kMinimum, operands);
}

}  // namespace okksim::sim::graph::compose
