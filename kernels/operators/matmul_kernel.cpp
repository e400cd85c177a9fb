// SPDX-License-Identifier: Apache-2.0
// TOSA 1.0.1 section 2.3.7: MATMUL.
#include <vector>

#include "kernels/conv/operator_problem.h"

namespace okksim::kernels {
namespace {

/// One operand of the product [.., rows, columns] of matrices. It has the stride of the dimension
/// that is summed and the stride of the other one.
struct Factor {
    const DeviceTensor& tensor;
    conv::ZeroPoint zero;
    std::int64_t sum_stride;
    std::int64_t free_stride;
    std::int32_t free_extent;
    std::int64_t output_stride;  ///< of the output along the free dimension
};

/// The product as a 1x1 convolution: one factor is the weights of the output channels, the other
/// the pixels. The convolution unit does twice the work of the matrix unit per cycle.
conv::Problem product(const OperatorCall& call, const Factor& weights, const Factor& pixels) {
    const DeviceTensor& output = call.outputs[0];
    conv::Problem problem;
    problem.images = output.dims[0];
    problem.input_channels = call.inputs[0].dims[2];
    problem.output_channels = weights.free_extent;
    problem.x.input = pixels.free_extent;
    problem.x.output = pixels.free_extent;
    problem.input = {.address = pixels.tensor.address,
                     .type = pixels.tensor.type,
                     .image = pixels.tensor.strides[0],
                     .channel = pixels.sum_stride,
                     .x = pixels.free_stride};
    problem.weights = {.address = weights.tensor.address,
                       .type = weights.tensor.type,
                       .image = weights.tensor.strides[0],
                       .output = weights.free_stride,
                       .input = weights.sum_stride};
    problem.output = {.address = output.address,
                      .type = output.type,
                      .image = output.strides[0],
                      .channel = weights.output_stride,
                      .x = pixels.output_stride};
    problem.input_zero = pixels.zero;
    problem.weight_zero = weights.zero;
    return problem;
}

/// The operand whose dimension 1 or 2, `free`, is also in the output; the other one is summed.
Factor factor(const OperatorCall& call, std::size_t operand, std::size_t free) {
    const DeviceTensor& tensor = call.inputs[operand];
    return {tensor,
            conv::zero_point_of(call.inputs[operand + 2]),
            tensor.strides[3 - free],
            tensor.strides[free],
            tensor.dims[free],
            call.outputs[0].strides[free]};
}

}  // namespace

/// MATMUL: [N, H, C] x [N, C, W]. Either factor can be the weights. Row-major rows of A already
/// have the right layout. Columns of B fill the lanes better if A has few rows.
void matmul_kernel(const OperatorCall& call) {
    const Factor left = factor(call, 0, 1);
    const Factor right = factor(call, 1, 2);
    conv::run_fastest(
        call, 2, [&](int way, const conv::PreparedLayout&) -> std::vector<conv::Problem> {
            return {way == 0 ? product(call, left, right) : product(call, right, left)};
        });
}

}  // namespace okksim::kernels
