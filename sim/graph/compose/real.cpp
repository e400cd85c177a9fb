// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/compose/real.h"

#include <algorithm>

#include "sim/graph/compose/host_values.h"
#include "sim/graph/element.h"

namespace okksim::sim::graph::compose {

Real widened(OperatorBuilder& ops, TensorIndex x) {
    const Tensor& tensor = ops.block().tensor(x);
    if (tensor.type == DType::kFp32 || !tensor.has_data || !is_floating_point(tensor.type)) {
        return {ops, ops.cast(x, DType::kFp32, "widened")};
    }
    const Shape shape = tensor.shape.get();
    const auto count = static_cast<std::uint64_t>(extent(shape));
    std::vector<double> values;
    for (std::uint64_t i = 0; i < count; ++i) {
        values.push_back(
            decode_float(tensor.type, float_bits_element(tensor.data.bytes(), tensor.type, i)));
    }
    return {ops, real_values(ops, DType::kFp32, shape, values, "widened")};
}

Real larger_or_if_nan(const Real& x, double y) {
    OperatorBuilder& ops = x.ops();
    return {ops, ops.block().add(OpCode::kMaximum, MaximumAttributes{NanPropagationMode::kIgnore},
                                 {x.tensor(), x.number(y).tensor()}, ops.type(x.tensor()),
                                 x.shape(), "number")};
}

Real Real::binary(OpCode op, const Real& other, std::string_view role) const {
    const std::size_t most = std::max(rank(), other.rank());
    const TensorIndex x = with_rank(*ops_, tensor_, most);
    return {*ops_, ops_->binary(op, x, with_rank(*ops_, other.tensor_, most), role)};
}

Real operator*(const Real& x, const Real& y) {
    const std::size_t most = std::max(x.rank(), y.rank());
    const TensorIndex first = with_rank(x.ops(), x.tensor(), most);
    return {x.ops(), x.ops().product(first, with_rank(x.ops(), y.tensor(), most), "product")};
}

Real positive_part(const Real& x) { return limited(x, 0, kInfinity); }
Real negative_part(const Real& x) { return limited(x, -kInfinity, 0); }

Real truncated(const Real& x) {
    const Real above = floor_of(larger(x, 0));
    return above + ceiling_of(smaller(x, 0));
}

Real sign_of(const Real& x) {
    constexpr double kLarge = 3e38;  // the product with the smallest normal number exceeds 1
    return limited(x * kLarge, -1, 1);
}

// e^x - 1 = tanh(x / 2) (e^x + 1): nothing cancels.
Real expm1_of(const Real& x) {
    const Real sum = exp_of(x) + 1.0;
    return tanh_of(x * 0.5) * sum;
}

// Let w be 1 + x rounded to fp32. Then log(1 + x) is log(w) + (x - (w - 1)) / w to first order, and
// w - 1 is exact where the second term matters. The term is NaN for infinite x and for -1.
Real log1p_of(const Real& x) {
    const Real w = x + 1.0;
    const Real lost = x - (w - 1.0);
    const Real correction = larger_or_if_nan(lost * inverse_of(w), -1);
    return log_of(w) + correction;
}

TensorIndex with_rank(OperatorBuilder& ops, TensorIndex x, std::size_t rank) {
    Shape shape = ops.shape(x);
    if (shape.size() >= rank) return x;
    shape.insert(shape.begin(), rank - shape.size(), 1);
    return reshaped(ops, x, shape);
}

TensorIndex compare(OperatorBuilder& ops, OpCode op, TensorIndex x, TensorIndex y) {
    const std::size_t rank = std::max(ops.rank(x), ops.rank(y));
    const TensorIndex first = with_rank(ops, x, rank);
    return ops.test(op, first, with_rank(ops, y, rank), "test");
}

TensorIndex choose(OperatorBuilder& ops, TensorIndex condition, TensorIndex x, TensorIndex y) {
    const std::size_t rank = std::max({ops.rank(condition), ops.rank(x), ops.rank(y)});
    const TensorIndex ranked = with_rank(ops, condition, rank);
    const TensorIndex first = with_rank(ops, x, rank);
    return ops.select(ranked, first, with_rank(ops, y, rank), "chosen");
}

TensorIndex logical_not(OperatorBuilder& ops, TensorIndex x) {
    return ops.unary(OpCode::kLogicalNot, x, "inverted");
}

}  // namespace okksim::sim::graph::compose
