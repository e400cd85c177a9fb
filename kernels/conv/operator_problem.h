// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "kernels/call/tensor.h"
#include "kernels/conv/prepared_layout.h"
#include "kernels/conv/problem.h"
#include "kernels/conv/problem_plan.h"

/// From operators' operands and attributes to problems.
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

/// Feature maps [N, H, W, C] or [N, D, H, W, C].
FeatureMaps feature_maps(const DeviceTensor& tensor);

/// The zero point that an operand holds, not read yet.
ZeroPoint zero_point_of(const DeviceTensor& operand);

/// The parts that all convolutions with the operands input, weight, bias, input_zp, weight_zp have
/// in common; the weights' strides and the axes are left to the caller. `layout`: what is prepared
/// of the operands.
Problem convolution_problem(const OperatorCall& call, const PreparedLayout& layout);

/// The problems that an operator is put as, one after the other, in one of several ways, taking
/// what is prepared of its operands.
using PutAs = std::function<std::vector<Problem>(int way, const PreparedLayout& layout)>;

/// Carries an operator out in the way that is fastest; throws ProgramFault (unpredictable) when a
/// sum does not fit.
void run_fastest(const OperatorCall& call, int ways, const PutAs& put_as);

/// The rounds of what was decided; none where something else was.
std::vector<const RoundPlan*> rounds_of(const DecisionList& decisions);
/// The convolutions with images and rows over the lanes among what was decided.
std::vector<const FoldedPlan*> folded_plans_of(const DecisionList& decisions);
/// The convolutions of bytes among what was decided.
std::vector<const BytePlan*> byte_plans_of(const DecisionList& decisions);

}  // namespace okksim::kernels::conv
