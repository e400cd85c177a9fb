// SPDX-License-Identifier: Apache-2.0
// TOSA 1.0.1 section 2.3.10: TRANSPOSE_CONV2D.
#include <algorithm>
#include <array>
#include <vector>

#include "kernels/call/computing.h"
#include "kernels/conv/operator_problem.h"

namespace okksim::kernels {
namespace {

/// Outputs first_output, first_output + output_step, ... of one axis as a convolution of step 1:
/// its tap t is tap last_tap - t * tap_step of the kernel.
struct Part {
    conv::WindowAxis axis;
    std::int32_t first_output = 0;
    std::int32_t output_step = 1;
    std::int32_t last_tap = 0;
    std::int32_t tap_step = 1;
};

/// One axis of the operator. Output o uses tap t at input (o - out_pad - t) / stride if that is an
/// integer.
struct Axis {
    std::int32_t input, output, kernel, stride, out_pad;

    /// All outputs at once, with zeros between the inputs.
    std::vector<Part> stretched() const {
        Part part;
        part.axis = {.input = input,
                     .output = output,
                     .taps = kernel,
                     .pad = std::int64_t{out_pad} + kernel - 1,
                     .stretch = stride};
        part.last_tap = kernel - 1;
        return {part};
    }

    /// One part for each set of taps that are congruent modulo the stride: they contribute to the
    /// same outputs. Outputs without a tap are in no part.
    std::vector<Part> phases() const {
        std::vector<Part> parts;
        for (std::int32_t tap = 0; tap < std::min(kernel, stride); ++tap) {
            Part part;
            const std::int32_t shifted = out_pad + tap;
            part.first_output = (shifted % stride + stride) % stride;
            if (part.first_output >= output) continue;
            part.output_step = part.tap_step = stride;
            part.axis.input = input;
            part.axis.output = (output - 1 - part.first_output) / stride + 1;
            part.axis.taps = (kernel - tap - 1) / stride + 1;
            part.last_tap = tap + (part.axis.taps - 1) * stride;
            // Output first_output + q * stride uses tap last_tap - t * stride at input q + t - pad.
            part.axis.pad =
                (std::int64_t{shifted} - part.first_output) / stride + part.axis.taps - 1;
            parts.push_back(part);
        }
        return parts;
    }
};

/// A problem that writes only the bias: its windows read no input.
conv::Problem bias_alone(const conv::Problem& whole, const DeviceTensor& output) {
    conv::Problem problem = whole;
    problem.input_channels = 1;
    problem.y = {.output = output.dims[1], .pad = std::int64_t{output.dims[1]} + 1};
    problem.x = {.output = output.dims[2], .pad = std::int64_t{output.dims[2]} + 1};
    return problem;
}

/// The problem of a part of both axes.
conv::Problem part_problem(const conv::Problem& whole, const DeviceTensor& weight, const Part& y,
                           const Part& x) {
    conv::Problem problem = whole;
    problem.y = y.axis;
    problem.x = x.axis;
    problem.weights.output = weight.strides[0];
    problem.weights.y = -weight.strides[1] * y.tap_step;
    problem.weights.x = -weight.strides[2] * x.tap_step;
    problem.weights.input = weight.strides[3];
    const std::int64_t tap = y.last_tap * weight.strides[1] + x.last_tap * weight.strides[2];
    problem.weights.address +=
        static_cast<std::uint64_t>(tap * stored_bytes(whole.weights.stored_type()));
    const std::int64_t first = y.first_output * whole.output.y + x.first_output * whole.output.x;
    problem.output.address += static_cast<std::uint64_t>(first * stored_bytes(whole.output.type));
    problem.output.y *= y.output_step;
    problem.output.x *= x.output_step;
    return problem;
}

/// A way to run the operator: every part of y with every part of x.
struct Way {
    std::vector<Part> y;
    std::vector<Part> x;
};

/// Phases compute no needless products but store single elements along x. Stretched inputs multiply
/// with their zeros.
std::vector<Way> ways_of(const Axis& y, const Axis& x) {
    Way phases{y.phases(), x.phases()};
    if (phases.y.empty() || phases.x.empty() || (y.stride == 1 && x.stride == 1)) return {phases};
    return {phases, {y.phases(), x.stretched()}, {y.stretched(), x.stretched()}};
}

}  // namespace

/// TRANSPOSE_CONV2D: weights [OC, KH, KW, IC].
void transpose_conv2d_kernel(const OperatorCall& call) {
    const auto& a = call.attributes_as<tosa::TransposeConv2dAttributes>();
    const DeviceTensor& input = call.inputs[0];
    const DeviceTensor& weight = call.inputs[1];
    const DeviceTensor& output = call.outputs[0];
    const Axis y{input.dims[1], output.dims[1], weight.dims[1], a.stride[0], a.out_pad[0]};
    const Axis x{input.dims[2], output.dims[2], weight.dims[2], a.stride[1], a.out_pad[2]};
    // If the kernel is smaller than the stride, outputs between the taps get only the bias.
    const bool has_gaps = y.kernel < y.stride || x.kernel < x.stride;
    const std::vector<Way> ways = ways_of(y, x);
    charge(OwnWork::kPhases, static_cast<std::uint64_t>(y.stride + x.stride));
    conv::run_fastest(call, static_cast<int>(ways.size()),
                      [&](int index, const conv::PreparedLayout& layout) {
                          const conv::Problem whole = conv::convolution_problem(call, layout);
                          const Way& way = ways[static_cast<std::size_t>(index)];
                          std::vector<conv::Problem> problems;
                          if (has_gaps) problems.push_back(bias_alone(whole, output));
                          for (const Part& part_y : way.y) {
                              for (const Part& part_x : way.x) {
                                  problems.push_back(part_problem(whole, weight, part_y, part_x));
                              }
                          }
                          return problems;
                      });
}

}  // namespace okksim::kernels
