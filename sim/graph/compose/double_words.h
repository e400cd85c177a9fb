// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/graph/operator_builder.h"

namespace okksim::sim::graph::compose {

/// Rounding of double precision to fp32.
enum class SingleRounding {
    kNearest,
    kOdd,  ///< keeps a trace of the lost bits, for a second rounding to fp16 or bf16
};

/// Converts numbers of double precision to fp32. `words` has an additional last dimension with the
/// low and the high word of each number.
TensorIndex single_from_double(OperatorBuilder& ops, TensorIndex words, SingleRounding rounding);
/// Returns the words of fp32 numbers in double precision, which holds them exactly.
TensorIndex double_from_single(OperatorBuilder& ops, TensorIndex x);

}  // namespace okksim::sim::graph::compose
