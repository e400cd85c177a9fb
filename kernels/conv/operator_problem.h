// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "kernels/conv/problem.h"
#include "kernels/tensor.h"

/// From operators' operands and attributes to problems.
namespace okksim::kernels::conv {

/// The axis of a convolution with padding `pad` before the input.
WindowAxis window_axis(std::int32_t input, std::int32_t output, std::int32_t taps,
                       std::int32_t step, std::int32_t spacing, std::int32_t pad);

/// Feature maps [N, H, W, C] or [N, D, H, W, C].
FeatureMaps feature_maps(const DeviceTensor& tensor);

/// The parts that all convolutions with the operands input, weight, bias, input_zp, weight_zp have
/// in common; the weights' strides and the axes are left to the caller.
Problem convolution_problem(const OperatorCall& call);

/// The one value of a zero point, 0 for floating-point types.
std::int64_t zero_point(const DeviceTensor& tensor);

}  // namespace okksim::kernels::conv
