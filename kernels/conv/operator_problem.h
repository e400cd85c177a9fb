// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "kernels/call/tensor.h"
#include "kernels/conv/prepared_layout.h"
#include "kernels/conv/problem.h"
#include "kernels/conv/problem_plan.h"

/// Converts operators with operands and attributes to problems.
namespace okksim::kernels::conv {

/// Spatial axis `axis` (0: the outermost) of a convolution on feature maps, by the operator's
/// attributes; the weights' extent along it is `taps`.
template <typename Attributes>
WindowAxis window_axis(const OperatorCall& call, const Attributes& attributes, std::size_t axis,
                       std::int32_t taps) {
    return {
        call.inputs[0].dims[axis + 1], call.outputs[0].dims[axis + 1], taps,
        attributes.stride[axis],       attributes.dilation[axis],      attributes.pad[2 * axis]};
}

/// The zero point in an operand, which is not read yet.
ZeroPoint zero_point_of(const DeviceTensor& operand);

/// Builds the common part of all convolutions with the operands input, weight, bias, input_zp and
/// weight_zp. The caller sets the weights' strides and the axes. `layout`: the prepared operands.
Problem convolution_problem(const OperatorCall& call, const PreparedLayout& layout);

/// Returns the problems that make up an operator, one after the other, in one of several ways. They
/// use the prepared operands of `layout`.
using PutAs = std::function<std::vector<Problem>(int way, const PreparedLayout& layout)>;

/// Runs an operator in the fastest way. Throws ProgramFault (unpredictable) if a sum does not fit.
void run_fastest(const OperatorCall& call, int ways, const PutAs& put_as);

/// The decided rounds; empty if other kinds of plans were chosen.
std::vector<const RoundPlan*> rounds_of(const DecisionList& decisions);
/// The decided convolutions with images and rows over the lanes.
std::vector<const FoldedPlan*> folded_plans_of(const DecisionList& decisions);
/// The decided convolutions of bytes.
std::vector<const BytePlan*> byte_plans_of(const DecisionList& decisions);

}  // namespace okksim::kernels::conv
