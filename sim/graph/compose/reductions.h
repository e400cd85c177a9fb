// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/graph/operator_builder.h"

namespace okksim::sim::graph::compose {

enum class Reduction : std::uint8_t {
    kSum,
    kMean,
    kMax,
    kMin,
    kProduct,
    kL1,         ///< sum |x|
    kL2,         ///< sqrt(sum x^2)
    kLogSum,     ///< log(sum x)
    kLogSumExp,  ///< log(sum e^x)
    kSumSquare,  ///< sum x^2
    kAll,        ///< of kBool
    kAny,        ///< of kBool
};

/// Reduces the axes, which are sorted and not negative. The result has dimensions of 1 there, or
/// lacks them. It has the type of `x`: fp16 and bf16 are computed in fp32, kI8 and kI16 in kI32,
/// modulo the type's range. Means of integers round towards zero. kMax and kMin also take kBool.
TensorIndex reduce(OperatorBuilder& ops, Reduction kind, TensorIndex x,
                   const std::vector<std::size_t>& axes, bool keep_dims);

/// The position of the first (or last) maximum or minimum along the axis, as kI32. `x` is of a
/// floating-point type, kI32, kI16 or kI8.
TensorIndex arg_max(OperatorBuilder& ops, TensorIndex x, std::size_t axis, bool keep_dims,
                    bool select_last_index = false);
TensorIndex arg_min(OperatorBuilder& ops, TensorIndex x, std::size_t axis, bool keep_dims,
                    bool select_last_index = false);

/// Sums of the elements up to each one along the axis. `exclusive` leaves out the element itself;
/// `reverse` sums from the end. Types as for reduce().
TensorIndex cumulative_sum(OperatorBuilder& ops, TensorIndex x, std::size_t axis, bool exclusive,
                           bool reverse);

}  // namespace okksim::sim::graph::compose
