// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "kernels/tensor.h"

namespace okksim::kernels::conv {

/// Parts that the values of a bias are split into so that sums can take them: int32 two, int48
/// three, floating point one (BiasParts).
int bias_parts(tosa::DType type);

/// What is prepared of a convolution's constants: the parts of the bias, one after the other, and
/// the weights as fp32 words less their zero point in the weights' own order. Weights stay as they
/// are where loading four bytes per value would take longer than widening them again.
struct PreparedLayout {
    bool bias = false;
    bool weights = false;
    std::uint64_t weights_offset = 0;  ///< bytes; the bias is first
    std::uint64_t bytes = 0;
};
PreparedLayout prepared_layout(const OperatorCall& call);

/// Makes them at call.prepared: firmware.
void prepare_operands(const OperatorCall& call);

}  // namespace okksim::kernels::conv
