// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <string_view>

#include "sim/graph/operator_builder.h"

namespace okksim::sim::graph::compose {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// A floating-point tensor in formulas: each operation adds an operator. Dimensions of 1 broadcast,
/// and a lower rank gets leading ones. C++ leaves the order of operands open: if both add
/// operators, one of them needs a name before.
class Real {
 public:
    Real(OperatorBuilder& ops, TensorIndex tensor) : ops_(&ops), tensor_(tensor) {}

    OperatorBuilder& ops() const { return *ops_; }
    TensorIndex tensor() const { return tensor_; }
    std::size_t rank() const { return ops_->rank(tensor_); }
    const Shape& shape() const { return ops_->shape(tensor_); }

    /// A number of the type and rank of this tensor.
    Real number(double value) const {
        return {*ops_, ops_->number(ops_->type(tensor_), rank(), value)};
    }
    Real unary(OpCode op, std::string_view role) const {
        return {*ops_, ops_->unary(op, tensor_, role)};
    }
    Real binary(OpCode op, const Real& other, std::string_view role) const;

 private:
    OperatorBuilder* ops_;
    TensorIndex tensor_;
};

inline Real operator+(const Real& x, const Real& y) { return x.binary(OpCode::kAdd, y, "sum"); }
inline Real operator+(const Real& x, double y) { return x + x.number(y); }
inline Real operator-(const Real& x, const Real& y) {
    return x.binary(OpCode::kSub, y, "difference");
}
inline Real operator-(const Real& x, double y) { return x - x.number(y); }
inline Real operator-(double x, const Real& y) { return y.number(x) - y; }
Real operator*(const Real& x, const Real& y);
inline Real operator*(const Real& x, double y) { return y == 1 ? x : x * x.number(y); }

inline Real larger(const Real& x, const Real& y) {
    return x.binary(OpCode::kMaximum, y, "maximum");
}
inline Real larger(const Real& x, double y) { return larger(x, x.number(y)); }
inline Real smaller(const Real& x, const Real& y) {
    return x.binary(OpCode::kMinimum, y, "minimum");
}
inline Real smaller(const Real& x, double y) { return smaller(x, x.number(y)); }
inline Real limited(const Real& x, double low, double high) {
    return {x.ops(), x.ops().clamp(x.tensor(), low, high, "limited")};
}
/// max(x, 0) and min(x, 0) as CLAMP, which joins short groups of element-wise operators and layer
/// groups. In long formulas, MAXIMUM and MINIMUM with a number join row groups.
Real positive_part(const Real& x);
Real negative_part(const Real& x);
/// max(x, y); y where x is NaN.
Real larger_or_if_nan(const Real& x, double y);

inline Real floor_of(const Real& x) { return x.unary(OpCode::kFloor, "floor"); }
inline Real ceiling_of(const Real& x) { return x.unary(OpCode::kCeil, "ceiling"); }
inline Real exp_of(const Real& x) { return x.unary(OpCode::kExp, "exponential"); }
inline Real log_of(const Real& x) { return x.unary(OpCode::kLog, "logarithm"); }
inline Real tanh_of(const Real& x) { return x.unary(OpCode::kTanh, "tanh"); }
inline Real sigmoid_of(const Real& x) { return x.unary(OpCode::kSigmoid, "sigmoid"); }
inline Real inverse_of(const Real& x) { return x.unary(OpCode::kReciprocal, "reciprocal"); }
inline Real inverse_root_of(const Real& x) { return x.unary(OpCode::kRsqrt, "inverse_root"); }
/// The reciprocal of RSQRT also gives 0 and infinity for them, unlike x RSQRT(x).
inline Real root_of(const Real& x) { return inverse_of(inverse_root_of(x)); }
/// MAXIMUM of x and -x: unlike ABS, the machine fuses them with their neighbours.
inline Real magnitude_of(const Real& x) { return larger(x, x * -1.0); }
Real truncated(const Real& x);
/// -1, 0 or 1 for fp32.
Real sign_of(const Real& x);
Real expm1_of(const Real& x);
Real log1p_of(const Real& x);

/// x as fp32. A constant stays one.
Real widened(OperatorBuilder& ops, TensorIndex x);
/// Calls `formula` with x as fp32, and returns its result in the type of x.
template <typename Formula>
TensorIndex in_fp32(OperatorBuilder& ops, TensorIndex x, const Formula& formula) {
    const DType type = ops.type(x);
    const Real result = formula(widened(ops, x));
    return ops.cast(result.tensor(), type, "narrowed");
}
template <typename Formula>
TensorIndex in_fp32(OperatorBuilder& ops, TensorIndex x, TensorIndex y, const Formula& formula) {
    const DType type = ops.type(x);
    const Real first = widened(ops, x);
    const Real result = formula(first, widened(ops, y));
    return ops.cast(result.tensor(), type, "narrowed");
}

/// Reshapes x to have leading dimensions of 1. A constant stays one.
TensorIndex with_rank(OperatorBuilder& ops, TensorIndex x, std::size_t rank);
/// x OP y as bool, for EQUAL, GREATER, GREATER_EQUAL. Also of integers.
TensorIndex compare(OperatorBuilder& ops, OpCode op, TensorIndex x, TensorIndex y);
inline TensorIndex is_greater(const Real& x, const Real& y) {
    return compare(x.ops(), OpCode::kGreater, x.tensor(), y.tensor());
}
inline TensorIndex is_greater(const Real& x, double y) { return is_greater(x, x.number(y)); }
inline TensorIndex is_greater(double x, const Real& y) { return is_greater(y.number(x), y); }
TensorIndex choose(OperatorBuilder& ops, TensorIndex condition, TensorIndex x, TensorIndex y);
inline Real choose(TensorIndex condition, const Real& x, const Real& y) {
    return {x.ops(), choose(x.ops(), condition, x.tensor(), y.tensor())};
}
TensorIndex logical_not(OperatorBuilder& ops, TensorIndex x);

}  // namespace okksim::sim::graph::compose
