// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "kernels/call/tensor.h"
#include "kernels/planning/decisions.h"

namespace okksim::kernels::conv {

/// Parts that the values of a bias are split into so that sums can take them: int32 two, int48
/// three, floating point one (BiasParts).
int bias_parts(tosa::DType type);

/// What is prepared of a convolution's constants: the parts of the bias, one after the other, the
/// weights as fp32 words less their zero point in the weights' own order, and the rows of the
/// RESCALE that follows, round after round (SumRule::scale_offset).
struct PreparedLayout {
    bool bias = false;
    bool weights = false;
    std::uint64_t weights_offset = 0;  ///< bytes; the bias is first
    std::uint64_t bytes = 0;
};

/// All that could be prepared of the call's constants. Depends on types, shapes and on which inputs
/// are constant.
PreparedLayout most_prepared(const OperatorCall& call);

/// Whether constants of the call may be packed for lanes that take images and rows beside channels
/// (folded_plan.h).
bool may_fold(const OperatorCall& call);

/// What the call decided to have prepared.
PreparedLayout prepared_layout(const DecisionList& decisions);

/// Makes it at call.prepared: firmware.
void prepare_operands(const OperatorCall& call, const DecisionList& decisions);

/// Makes fp32 words, less a zero point, of values that lie side by side in system memory, in the
/// same order at `to`: firmware. A row in every lane.
void prepare_values(const DeviceTensor& values, std::int64_t zero_point, std::uint64_t to);

}  // namespace okksim::kernels::conv
