// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "kernels/call/tensor.h"
#include "tests/support/kernel_fixture.h"
#include "tests/support/random_source.h"

/// Convolutions and matrix products on the machine without time, compared with the sums of the
/// specification's pseudo-code in exact arithmetic. Values are chosen so that every sum is exact in
/// double precision: integers, or quarters from -7/4 to 7/4, which all formats hold.
namespace okksim::tests {

/// Types of one row of a Supported Data Types table.
struct ConvolutionTypes {
    tosa::DType input, weight, output;
};
/// Rows that CONV2D, CONV3D, DEPTHWISE_CONV2D and TRANSPOSE_CONV2D share.
const std::vector<ConvolutionTypes>& convolution_types();
/// Rows of MATMUL.
const std::vector<ConvolutionTypes>& matmul_types();

enum class ConvolutionOp { kConv2d, kConv3d, kDepthwise, kTranspose, kMatmul };

/// Axes are [z, y, x]; z has extent 1 except for CONV3D. For TRANSPOSE_CONV2D pads are out_pad.
struct ConvolutionCase {
    ConvolutionOp op = ConvolutionOp::kConv2d;
    ConvolutionTypes types{};
    std::int32_t images = 1;
    std::int32_t input_channels = 1;
    std::int32_t output_channels = 1;  ///< depthwise: the multiplier
    std::array<std::int32_t, 3> input{1, 1, 1};
    std::array<std::int32_t, 3> kernel{1, 1, 1};
    std::array<std::int32_t, 3> stride{1, 1, 1};
    std::array<std::int32_t, 3> dilation{1, 1, 1};
    std::array<std::int32_t, 3> pad_before{0, 0, 0};
    std::array<std::int32_t, 3> pad_after{0, 0, 0};
    bool one_bias = false;
    bool any_order = false;  ///< operands in random storage orders
    bool extremes = false;   ///< integers: all values at the ends of their ranges
    bool constants = false;  ///< weights, bias and zero points are constant, and prepared

    std::array<std::int32_t, 3> output() const;
};

/// Runs the case and checks every output; INFO names the case.
void check_convolution(KernelMachine& machine, const ConvolutionCase& test, RandomSource& random);

/// MATMUL [images, rows, depth] x [images, depth, columns].
struct MatmulCase {
    ConvolutionTypes types{};
    std::int32_t images = 1, rows = 1, depth = 1, columns = 1;
    bool any_order = false;
    bool extremes = false;
};
void check_matmul(KernelMachine& machine, const MatmulCase& test, RandomSource& random);

}  // namespace okksim::tests
