// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/call/constant_memory.h"
#include "kernels/call/tensor.h"
#include "kernels/planning/decisions.h"

namespace okksim::kernels::conv {

/// Number of parts into which the values of a bias are split for sums: int32 two, int48 three,
/// floating point one (BiasParts).
int bias_parts(tosa::DType type);

/// Layout of the prepared constants of a convolution. The parts of the bias come first, one after
/// the other. Then come the weights as fp32 words minus their zero point, in their original order.
/// Last are the rows of the RESCALE that follows, round after round (SumRule::scale_offset).
struct PreparedLayout {
    bool bias = false;
    bool weights = false;
    std::uint64_t weights_offset = 0;  ///< bytes; the bias comes first
    std::uint64_t bytes = 0;
};

/// All constants of the call that could be prepared. Depends on types, on shapes and on which
/// inputs are constant.
PreparedLayout most_prepared(const OperatorCall& call);

/// True if constants of the call may be packed for images and rows over the lanes (folded_plan.h).
bool may_fold(const OperatorCall& call);

/// The layout that the call decided on.
PreparedLayout prepared_layout(const DecisionList& decisions);

/// Positions of weights and biases that the call reads only in prepared form.
std::vector<std::size_t> operands_only_prepared(const DecisionList& decisions);

/// Writes the prepared constants to call.prepared.
void prepare_operands(const OperatorCall& call, const DecisionList& decisions,
                      const ConstantMemory& memory);

/// Converts contiguous values to fp32 words minus a zero point, in the same order, at `to`.
/// Denormals of fp16 become zero, which convolutions allow (TOSA 1.0.1, 2.3.3).
void prepare_values(const DeviceTensor& values, std::int64_t zero_point, std::uint64_t to,
                    const ConstantMemory& memory);

}  // namespace okksim::kernels::conv
