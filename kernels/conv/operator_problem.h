// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "kernels/conv/problem.h"
#include "kernels/tensor.h"

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

/// The parts that all convolutions with the operands input, weight, bias, input_zp, weight_zp have
/// in common; the weights' strides and the axes are left to the caller.
Problem convolution_problem(const OperatorCall& call);

/// Carries the problems of an operator out one after the other; throws ProgramFault (unpredictable)
/// when a sum does not fit.
void run_all(const OperatorCall& call, std::span<const Problem> problems);

}  // namespace okksim::kernels::conv
