// SPDX-License-Identifier: Apache-2.0
// TOSA 1.0.1 section 2.3.10: TRANSPOSE_CONV2D.
#include <algorithm>
#include <array>

#include "kernels/conv/operator_problem.h"

namespace okksim::kernels {
namespace {

/// Outputs first, first + stride, ... of one axis: those that taps tap, tap + stride, ... of the
/// kernel reach. They are a convolution of their own with the taps in reverse.
struct Phase {
    conv::WindowAxis axis;  ///< output 0: the phase has no output
    std::int32_t first_output = 0;
    std::int32_t last_tap = 0;
};

/// The phase of the taps congruent to `tap` modulo the stride. Output o meets tap t at input
/// (o - out_pad - t) / stride.
Phase phase_of(std::int32_t input, std::int32_t output, std::int32_t kernel, std::int32_t stride,
               std::int32_t out_pad, std::int32_t tap) {
    Phase phase;
    phase.axis.taps = (kernel - tap - 1) / stride + 1;
    phase.last_tap = tap + (phase.axis.taps - 1) * stride;
    const std::int32_t shifted = out_pad + tap;
    phase.first_output = (shifted % stride + stride) % stride;
    phase.axis.input = input;
    phase.axis.output =
        phase.first_output < output ? (output - 1 - phase.first_output) / stride + 1 : 0;
    // Output first_output + q * stride meets tap last_tap - t * stride at input q + t - pad.
    phase.axis.pad = (std::int64_t{shifted} - phase.first_output) / stride + phase.axis.taps - 1;
    return phase;
}

/// The bias alone in every output: windows that meet no input.
conv::Problem bias_alone(const conv::Problem& whole, const DeviceTensor& output) {
    conv::Problem problem = whole;
    problem.input_channels = 1;
    problem.y = {.output = output.dims[1], .pad = std::int64_t{output.dims[1]} + 1};
    problem.x = {.output = output.dims[2], .pad = std::int64_t{output.dims[2]} + 1};
    return problem;
}

/// The problem of the phases of both axes.
conv::Problem phase_problem(const conv::Problem& whole, const DeviceTensor& weight, const Phase& y,
                            const Phase& x, const std::array<std::int32_t, 2>& stride) {
    conv::Problem problem = whole;
    problem.y = y.axis;
    problem.x = x.axis;
    problem.weights.output = weight.strides[0];
    problem.weights.y = -weight.strides[1] * stride[0];
    problem.weights.x = -weight.strides[2] * stride[1];
    problem.weights.input = weight.strides[3];
    const std::int64_t tap = y.last_tap * weight.strides[1] + x.last_tap * weight.strides[2];
    problem.weights.address +=
        static_cast<std::uint64_t>(tap * stored_bytes(whole.weights.stored_type()));
    const std::int64_t first = y.first_output * whole.output.y + x.first_output * whole.output.x;
    problem.output.address += static_cast<std::uint64_t>(first * stored_bytes(whole.output.type));
    problem.output.y *= stride[0];
    problem.output.x *= stride[1];
    return problem;
}

}  // namespace

/// TRANSPOSE_CONV2D: weights [OC, KH, KW, IC]. Where the kernel is smaller than the stride, outputs
/// between the reach of its taps hold the bias alone.
void transpose_conv2d_kernel(const OperatorCall& call) {
    const auto& a = call.attributes_as<tosa::TransposeConv2dAttributes>();
    const DeviceTensor& input = call.inputs[0];
    const DeviceTensor& weight = call.inputs[1];
    const DeviceTensor& output = call.outputs[0];
    const std::int32_t kernel_y = weight.dims[1];
    const std::int32_t kernel_x = weight.dims[2];
    const conv::Problem whole = conv::convolution_problem(call);
    if (kernel_y < a.stride[0] || kernel_x < a.stride[1]) conv::run(bias_alone(whole, output));
    for (std::int32_t ty = 0; ty < std::min(kernel_y, a.stride[0]); ++ty) {
        const Phase y =
            phase_of(input.dims[1], output.dims[1], kernel_y, a.stride[0], a.out_pad[0], ty);
        for (std::int32_t tx = 0; tx < std::min(kernel_x, a.stride[1]); ++tx) {
            const Phase x =
                phase_of(input.dims[2], output.dims[2], kernel_x, a.stride[1], a.out_pad[2], tx);
            if (y.axis.output == 0 || x.axis.output == 0) continue;
            conv::run(phase_problem(whole, weight, y, x, a.stride));
        }
    }
}

}  // namespace okksim::kernels
