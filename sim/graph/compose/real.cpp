// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/compose/real.h"

#include <algorithm>

namespace okksim::sim::graph::compose {

Real larger_or_if_nan(const Real& x, double y) {
    OperatorBuilder& ops = x.ops();
    return {ops, ops.block().add(OpCode::kMaximum, MaximumAttributes{NanPropagationMode::kIgnore},
                                 {x.tensor(), x.number(y).tensor()}, ops.type(x.tensor()),
                                 x.shape(), "number")};
}

Real truncated(const Real& x) { return floor_of(larger(x, 0)) + ceiling_of(smaller(x, 0)); }

Real sign_of(const Real& x) {
    constexpr double kLarge = 3e38;  // the product with the smallest normal number exceeds 1
    return limited(x * kLarge, -1, 1);
}

// e^x - 1 = tanh(x / 2) (e^x + 1): nothing cancels.
Real expm1_of(const Real& x) { return tanh_of(x * 0.5) * (exp_of(x) + 1.0); }

// Let w be 1 + x rounded to fp32. Then log(1 + x) is log(w) + (x - (w - 1)) / w to first order, and
// w - 1 is exact where the second term matters. The term is NaN for infinite x and for -1.
Real log1p_of(const Real& x) {
    const Real w = x + 1.0;
    const Real lost = (x - (w - 1.0)) * inverse_of(w);
    return log_of(w) + larger_or_if_nan(lost, -1);
}

TensorIndex with_rank(OperatorBuilder& ops, TensorIndex x, std::size_t rank) {
    Shape shape = ops.shape(x);
    if (shape.size() >= rank) return x;
    shape.insert(shape.begin(), rank - shape.size(), 1);
    return ops.reshape(x, shape, "ranked");
}

TensorIndex compare(OperatorBuilder& ops, OpCode op, TensorIndex x, TensorIndex y) {
    const std::size_t rank = std::max(ops.rank(x), ops.rank(y));
    return ops.test(op, with_rank(ops, x, rank), with_rank(ops, y, rank), "test");
}

TensorIndex choose(OperatorBuilder& ops, TensorIndex condition, TensorIndex x, TensorIndex y) {
    const std::size_t rank = std::max({ops.rank(condition), ops.rank(x), ops.rank(y)});
    return ops.select(with_rank(ops, condition, rank), with_rank(ops, x, rank),
                      with_rank(ops, y, rank), "chosen");
}

TensorIndex logical_not(OperatorBuilder& ops, TensorIndex x) {
    return ops.unary(OpCode::kLogicalNot, x, "inverted");
}

}  // namespace okksim::sim::graph::compose
