// SPDX-License-Identifier: Apache-2.0
// TOSA 1.0.1 section 2.3.5: DEPTHWISE_CONV2D.
#include <vector>

#include "kernels/conv/operator_problem.h"

namespace okksim::kernels {

namespace {

/// One problem per m for output channels c * M + m. Each is a depthwise convolution without
/// multiplier whose channels are M apart.
std::vector<conv::Problem> problems_of(const OperatorCall& call,
                                       const conv::PreparedLayout& layout) {
    const auto& a = call.attributes_as<tosa::DepthwiseConv2dAttributes>();
    const DeviceTensor& weight = call.inputs[1];
    const std::int32_t multiplier = weight.dims[3];
    conv::Problem problem = conv::convolution_problem(call, layout);
    problem.kind = conv::ProblemKind::kDepthwise;
    problem.output_channels = problem.input_channels;
    problem.weights.y = weight.strides[0];
    problem.weights.x = weight.strides[1];
    problem.weights.output = weight.strides[2];
    problem.y = conv::window_axis(call, a, 0, weight.dims[0]);
    problem.x = conv::window_axis(call, a, 1, weight.dims[1]);
    const auto step = [](std::uint64_t& address, std::int64_t stride, int bytes) {
        address += static_cast<std::uint64_t>(stride * bytes);
    };
    const std::int64_t channel = problem.output.channel;
    const std::int64_t bias = problem.bias.stride;
    problem.output.channel = channel * multiplier;
    problem.bias.stride = bias * multiplier;
    std::vector<conv::Problem> problems;
    for (std::int32_t m = 0; m < multiplier; ++m) {
        problems.push_back(problem);
        step(problem.output.address, channel, stored_bytes(problem.output.type));
        step(problem.bias.address, bias, problem.bias.stored_bytes());
        step(problem.weights.address, weight.strides[3],
             stored_bytes(problem.weights.stored_type()));
    }
    return problems;
}

}  // namespace

/// DEPTHWISE_CONV2D: weights [KH, KW, C, M].
void depthwise_conv2d_kernel(const OperatorCall& call) {
    conv::run_fastest(call, 1, [&](int, const conv::PreparedLayout& layout) {
        return problems_of(call, layout);
    });
}

}  // namespace okksim::kernels
