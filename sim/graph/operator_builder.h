// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string_view>
#include <tuple>
#include <vector>

#include "sim/graph/block_builder.h"

namespace okksim::sim::graph {

/// Adds operators of TOSA 1.0 to a block, with their constants and result shapes. Each function
/// returns the result. `role` ends the result's name. Validation checks the operands.
class OperatorBuilder {
 public:
    explicit OperatorBuilder(BlockBuilder& block) : b_(block) {}

    BlockBuilder& block() { return b_; }
    const Shape& shape(TensorIndex x) const { return b_.tensor(x).shape; }
    DType type(TensorIndex x) const { return b_.tensor(x).type; }
    std::size_t rank(TensorIndex x) const { return shape(x).size(); }

    /// Data movement. Unless noted, no operator is added if the result equals `x`.
    TensorIndex reshape(TensorIndex x, Shape shape, std::string_view role);
    /// Always adds a RESHAPE, for files that have one.
    TensorIndex reshape_step(TensorIndex x, Shape shape, std::string_view role);
    TensorIndex transpose(TensorIndex x, const std::vector<std::int32_t>& perms,
                          std::string_view role);
    TensorIndex slice(TensorIndex x, const Shape& start, const Shape& size, std::string_view role);
    TensorIndex concat(const std::vector<TensorIndex>& parts, std::size_t axis,
                       std::string_view role);
    /// `padding` before and after each dimension; `value` is a constant [1].
    TensorIndex pad(TensorIndex x, const Shape& padding, TensorIndex value, std::string_view role);
    TensorIndex tile(TensorIndex x, const Shape& multiples, std::string_view role);
    TensorIndex reverse(TensorIndex x, std::size_t axis, std::string_view role);
    /// [N,K,C] at indices [N,W].
    TensorIndex gather(TensorIndex values, TensorIndex indices, std::string_view role);

    /// Element-wise operators. Dimensions of 1 broadcast, and a lower rank gets leading ones.
    TensorIndex unary(OpCode op, TensorIndex x, std::string_view role);
    TensorIndex binary(OpCode op, TensorIndex x, TensorIndex y, std::string_view role);
    TensorIndex product(TensorIndex x, TensorIndex y, std::string_view role);
    /// EQUAL, GREATER, GREATER_EQUAL.
    TensorIndex test(OpCode op, TensorIndex x, TensorIndex y, std::string_view role);
    TensorIndex select(TensorIndex condition, TensorIndex x, TensorIndex y, std::string_view role);
    TensorIndex cast(TensorIndex x, DType type, std::string_view role);
    /// `low` and `high` are values of the type of `x`.
    TensorIndex clamp(TensorIndex x, double low, double high, std::string_view role);
    /// x * multiplier / 2^shift, rounded half up and saturated to `type`.
    TensorIndex rescale(TensorIndex x, DType type, std::int32_t multiplier, int shift,
                        std::string_view role);

    TensorIndex reduce_sum(TensorIndex x, std::size_t axis, std::string_view role);
    TensorIndex reduce_max(TensorIndex x, std::size_t axis, std::string_view role);

    /// Returns a constant with one value and dimensions of 1. Equal calls return the same constant.
    TensorIndex number(DType type, std::size_t rank, double value);

 private:
    TensorIndex with_rank(TensorIndex x, std::size_t rank);
    static Shape joint(const Shape& x, const Shape& y);

    BlockBuilder& b_;
    std::map<std::tuple<DType, std::size_t, double>, TensorIndex> numbers_;
};

}  // namespace okksim::sim::graph
