// SPDX-License-Identifier: Apache-2.0
// TOSA 1.0.1 sections 2.3.3 and 2.3.4: CONV2D and CONV3D.
#include "kernels/conv/operator_problem.h"

namespace okksim::kernels {

using conv::Problem;
using conv::window_axis;

/// CONV2D: weights [OC, KH, KW, IC].
void conv2d_kernel(const OperatorCall& call) {
    const auto& a = call.attributes_as<tosa::Conv2dAttributes>();
    const DeviceTensor& weight = call.inputs[1];
    conv::run_fastest(call, 1, [&](int, const conv::PreparedLayout& layout) {
        Problem problem = conv::convolution_problem(call, layout);
        problem.weights.output = weight.strides[0];
        problem.weights.y = weight.strides[1];
        problem.weights.x = weight.strides[2];
        problem.weights.input = weight.strides[3];
        problem.y = window_axis(call, a, 0, weight.dims[1]);
        problem.x = window_axis(call, a, 1, weight.dims[2]);
        return std::vector{problem};
    });
}

/// CONV3D: weights [OC, KD, KH, KW, IC].
void conv3d_kernel(const OperatorCall& call) {
    const auto& a = call.attributes_as<tosa::Conv3dAttributes>();
    const DeviceTensor& weight = call.inputs[1];
    conv::run_fastest(call, 1, [&](int, const conv::PreparedLayout& layout) {
        Problem problem = conv::convolution_problem(call, layout);
        problem.weights.output = weight.strides[0];
        problem.weights.z = weight.strides[1];
        problem.weights.y = weight.strides[2];
        problem.weights.x = weight.strides[3];
        problem.weights.input = weight.strides[4];
        problem.z = window_axis(call, a, 0, weight.dims[1]);
        problem.y = window_axis(call, a, 1, weight.dims[2]);
        problem.x = window_axis(call, a, 2, weight.dims[3]);
        return std::vector{problem};
    });
}

}  // namespace okksim::kernels
