// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "sim/graph/operator_builder.h"
#include "sim/graph/xmodel/xmodel_element.h"

namespace okksim::sim::graph::xmodel {

/// Exact arithmetic on INT8 to INT64 with TOSA's 32-bit integers. A number is a sum of digits (-128
/// to 127) times powers of 256. Linear operations work digit by digit, and their sums are then
/// joined.
class Digits {
 public:
    explicit Digits(OperatorBuilder& ops) : ops_(ops) {}

    /// Returns the digits of `x`, lowest first: one kI8 per byte, without the dimension of the
    /// words. They represent the number modulo 2^bits. With `is_exact`, one more digit (0 or 1, not
    /// for INT8) makes the representation exact.
    std::vector<TensorIndex> split(const ElementType& type, TensorIndex x, bool is_exact);

    /// Returns the number with these kI32 digits, modulo 2^bits. Each digit has a magnitude below
    /// 2^30.
    TensorIndex join(const ElementType& type, std::vector<TensorIndex> sums);

    /// Divides digits by `divisor` (kI32, positive, below 2^22) and returns digits. An inexact
    /// result is one of the two nearest numbers.
    std::vector<TensorIndex> divide(const std::vector<TensorIndex>& sums, TensorIndex divisor);

    /// Returns the low (0) or high (1) word of 64-bit elements, without the dimension of the words.
    TensorIndex word(TensorIndex x, int index);
    /// Joins the words of 64-bit elements.
    TensorIndex pair(TensorIndex low, TensorIndex high);

 private:
    TensorIndex number(TensorIndex like, std::int32_t value) {
        return ops_.number(DType::kI32, ops_.rank(like), value);
    }
    TensorIndex shifted_right(TensorIndex x, int bits);
    /// Joins four bytes, lowest first, to a word of the type.
    TensorIndex joined_word(DType type, const std::vector<TensorIndex>& bytes);

    OperatorBuilder& ops_;
};

}  // namespace okksim::sim::graph::xmodel
