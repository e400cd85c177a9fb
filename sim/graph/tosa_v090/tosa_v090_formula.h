// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string_view>

#include "sim/graph/block_builder.h"

namespace okksim::sim::graph {

/// Element-wise operators on values of one floating-point type, for formulas.
class Formula {
 public:
    Formula(BlockBuilder& b, DType type, std::size_t rank) : b_(b), type_(type), ones_(rank, 1) {}

    BlockBuilder& block() { return b_; }

    TensorIndex number(double value, std::string_view role) {
        return b_.real_constant(type_, ones_, value, role);
    }
    TensorIndex unary(OpCode op, TensorIndex x, std::string_view role) {
        return b_.add(op, NoAttributes{}, {x}, b_.tensor(x).type, b_.tensor(x).shape, role);
    }
    TensorIndex binary(OpCode op, TensorIndex x, TensorIndex y, std::string_view role) {
        return b_.add(op, NoAttributes{}, {x, y}, type_, joint(x, y), role);
    }
    /// MAXIMUM or MINIMUM; NaN stays NaN.
    template <typename A>
    TensorIndex extremum(OpCode op, TensorIndex x, double limit, std::string_view role) {
        const TensorIndex other = number(limit, "limit");
        return b_.add(op, A{NanPropagationMode::kPropagate}, {x, other}, type_, joint(x, other),
                      role);
    }
    TensorIndex product(TensorIndex x, TensorIndex y, std::string_view role) {
        const TensorIndex shift = b_.constant(DType::kI8, {1}, {0}, "shift");
        return b_.add(OpCode::kMul, NoAttributes{}, {x, y, shift}, type_, joint(x, y), role);
    }
    TensorIndex negative(TensorIndex x, std::string_view role) {
        const TensorIndex zero = b_.real_constant(type_, {1}, 0.0, "zp");
        return b_.add(OpCode::kNegate, NoAttributes{}, {x, zero, zero}, type_, b_.tensor(x).shape,
                      role);
    }
    /// EQUAL, GREATER, LOGICAL_AND, ...
    TensorIndex test(OpCode op, TensorIndex x, TensorIndex y, std::string_view role) {
        return b_.add(op, NoAttributes{}, {x, y}, DType::kBool, joint(x, y), role);
    }
    TensorIndex select(TensorIndex condition, TensorIndex x, TensorIndex y, std::string_view role) {
        const Shape shape = joint(b_.tensor(condition).shape, joint(x, y));
        return b_.add(OpCode::kSelect, NoAttributes{}, {condition, x, y}, type_, shape, role);
    }

 private:
    static Shape joint(const Shape& x, const Shape& y) {
        Shape shape = x;
        for (std::size_t i = 0; i < std::min(x.size(), y.size()); ++i) {
            shape[i] = x[i] == 1 ? y[i] : x[i];
        }
        return shape;
    }
    Shape joint(TensorIndex x, TensorIndex y) const {
        return joint(b_.tensor(x).shape, b_.tensor(y).shape);
    }

    BlockBuilder& b_;
    DType type_;
    Shape ones_;
};

/// e^x of fp32 values, composed of operators of 1.0. The error is less than an ulp, whereas the
/// bound of EXP in 1.0 grows with |x|. NaN stays NaN; results below the smallest normal are 0.
TensorIndex precise_exponential(Formula& f, TensorIndex x);

/// x^y of fp32 values for x >= 0, as e^(y log x).
TensorIndex precise_power(Formula& f, TensorIndex x, TensorIndex y);

}  // namespace okksim::sim::graph
