// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "sim/graph/operator_builder.h"
#include "sim/graph/xmodel/xmodel_element.h"

namespace okksim::sim::graph::xmodel {

/// Exact arithmetic on INT8 to INT64 with the 32 bits that TOSA has: a number is a sum of digits
/// times powers of 256, every digit -128 to 127. What is linear in the number is computed digit by
/// digit; the sums are then put together again.
class Digits {
 public:
    explicit Digits(OperatorBuilder& ops) : ops_(ops) {}

    /// The digits of `x`, lowest first: as many as it has bytes, kI8 each, without the dimension of
    /// the words. They are the number modulo 2^bits; one more digit (0 or 1, not for INT8) makes it
    /// the number itself.
    std::vector<TensorIndex> split(const ElementType& type, TensorIndex x, bool is_exact);

    /// The number whose digits these kI32 tensors are, each of a magnitude below 2^30; modulo
    /// 2^bits.
    TensorIndex join(const ElementType& type, std::vector<TensorIndex> sums);

    /// The quotient of digits by `divisor` (kI32, positive, below 2^22), as digits again. Where
    /// there is a remainder, the result is one of the two nearest numbers.
    std::vector<TensorIndex> divide(const std::vector<TensorIndex>& sums, TensorIndex divisor);

    /// The low and the high word of 64-bit elements, without the dimension of the words.
    TensorIndex word(TensorIndex x, int index);
    /// 64-bit elements of their words.
    TensorIndex pair(TensorIndex low, TensorIndex high);

 private:
    TensorIndex number(TensorIndex like, std::int32_t value) {
        return ops_.number(DType::kI32, ops_.rank(like), value);
    }
    TensorIndex shifted_right(TensorIndex x, int bits);
    /// Four bytes, lowest first, as a word of the type.
    TensorIndex joined_word(DType type, const std::vector<TensorIndex>& bytes);

    OperatorBuilder& ops_;
};

}  // namespace okksim::sim::graph::xmodel
