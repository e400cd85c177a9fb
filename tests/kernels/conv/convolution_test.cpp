// SPDX-License-Identifier: Apache-2.0
// CONV2D, CONV3D, DEPTHWISE_CONV2D, TRANSPOSE_CONV2D and MATMUL against the specification's loops.
#include <algorithm>

#include "tests/kernels/conv/convolution_case.h"
#include "tests/support/catch.h"

namespace okksim::tests {
namespace {

using tosa::DType;

constexpr std::int64_t kGlobalBytes = 64 * 1024 * 1024;

const ConvolutionTypes kFloat{DType::kFp32, DType::kFp32, DType::kFp32};
const ConvolutionTypes kInt8{DType::kI8, DType::kI8, DType::kI32};
const ConvolutionTypes kInt16{DType::kI16, DType::kI8, DType::kI48};

/// A small extent, sometimes one that no single command accepts.
std::int32_t small(RandomSource& random, std::int32_t most, std::int32_t rare) {
    return static_cast<std::int32_t>(random.one_in(8) ? rare : random.between(1, most));
}

/// A window axis whose output is not empty.
void draw_axis(ConvolutionCase& test, std::size_t axis, RandomSource& random) {
    test.kernel[axis] = small(random, 4, 7);
    if (test.op == ConvolutionOp::kTranspose) {
        test.stride[axis] = small(random, 3, 17);
        test.input[axis] = small(random, 9, 20);
        test.pad_before[axis] = static_cast<std::int32_t>(random.between(1 - test.kernel[axis], 3));
        test.pad_after[axis] = static_cast<std::int32_t>(random.between(1 - test.kernel[axis], 3));
        if (test.output()[axis] < 1) test.pad_after[axis] = test.kernel[axis] + 1;
        return;
    }
    test.stride[axis] = small(random, 3, 18);
    test.dilation[axis] = small(random, 3, 17);
    test.pad_before[axis] = small(random, 4, 20) - 1;
    test.pad_after[axis] = small(random, 4, 20) - 1;
    const std::int32_t span = (test.kernel[axis] - 1) * test.dilation[axis] + 1;
    test.input[axis] = static_cast<std::int32_t>(
        std::max<std::int64_t>(1, span - test.pad_before[axis] - test.pad_after[axis]) +
        random.below(random.one_in(3) ? 24 : 8));
}

ConvolutionCase draw_case(ConvolutionOp op, const ConvolutionTypes& types, RandomSource& random) {
    ConvolutionCase test;
    test.op = op;
    test.types = types;
    test.images = static_cast<std::int32_t>(random.between(1, 3));
    test.input_channels = small(random, 9, 37);
    test.output_channels =
        op == ConvolutionOp::kDepthwise ? small(random, 3, 5) : small(random, 9, 37);
    for (std::size_t axis = op == ConvolutionOp::kConv3d ? 0 : 1; axis < 3; ++axis) {
        draw_axis(test, axis, random);
    }
    test.one_bias = random.one_in(4);
    test.any_order = random.one_in(2);
    test.constants = random.one_in(2);
    return test;
}

void check_random(ConvolutionOp op, int cases, std::uint64_t seed) {
    RandomSource random(seed);
    KernelMachine machine(8, 32 * 1024, kGlobalBytes);
    KernelMachine tiny(4, 16 * 1024, kGlobalBytes);
    KernelMachine large(64, 512 * 1024, kGlobalBytes);
    KernelMachine least(3, 4 * 1024, kGlobalBytes);
    KernelMachine* machines[] = {&machine, &tiny, &large, &least};
    for (int i = 0; i < cases; ++i) {
        const ConvolutionTypes& types =
            convolution_types()[static_cast<std::size_t>(i) % convolution_types().size()];
        check_convolution(*random.element(machines), draw_case(op, types, random), random);
    }
}

TEST_CASE("random CONV2D") { check_random(ConvolutionOp::kConv2d, 240, 1); }
TEST_CASE("random CONV3D") { check_random(ConvolutionOp::kConv3d, 80, 2); }
TEST_CASE("random DEPTHWISE_CONV2D") { check_random(ConvolutionOp::kDepthwise, 240, 3); }
TEST_CASE("random TRANSPOSE_CONV2D") { check_random(ConvolutionOp::kTranspose, 160, 4); }

TEST_CASE("random MATMUL") {
    RandomSource random(5);
    KernelMachine machine(8, 32 * 1024, kGlobalBytes);
    KernelMachine tiny(4, 16 * 1024, kGlobalBytes);
    for (int i = 0; i < 160; ++i) {
        MatmulCase test;
        test.types = matmul_types()[static_cast<std::size_t>(i) % matmul_types().size()];
        test.images = small(random, 3, 5);
        test.rows = small(random, 40, 130);
        test.depth = small(random, 60, 300);
        test.columns = small(random, 40, 130);
        test.any_order = random.one_in(2);
        check_matmul(random.one_in(2) ? machine : tiny, test, random);
    }
}

/// A square CONV2D.
ConvolutionCase square(const ConvolutionTypes& types, std::int32_t inputs, std::int32_t outputs,
                       std::int32_t size, std::int32_t kernel) {
    ConvolutionCase test;
    test.types = types;
    test.input_channels = inputs;
    test.output_channels = outputs;
    test.input = {1, size, size};
    test.kernel = {1, kernel, kernel};
    test.pad_before = test.pad_after = {0, kernel / 2, kernel / 2};
    return test;
}

TEST_CASE("convolutions of many tiles in every dimension") {
    RandomSource random(6);
    KernelMachine machine(8, 32 * 1024, kGlobalBytes);
    for (const ConvolutionTypes& types : convolution_types()) {
        ConvolutionCase test = square(types, 50, 45, 40, 3);
        test.images = 2;
        check_convolution(machine, test, random);
        test.constants = true;
        check_convolution(machine, test, random);
        test.op = ConvolutionOp::kTranspose;
        test.stride = {1, 2, 2};
        test.input = {1, 21, 19};
        check_convolution(machine, test, random);
    }
    ConvolutionCase depthwise = square(kInt8, 100, 2, 60, 3);
    depthwise.op = ConvolutionOp::kDepthwise;
    depthwise.stride = {1, 2, 1};
    check_convolution(machine, depthwise, random);
}

TEST_CASE("extents beyond what one command takes") {
    RandomSource random(7);
    KernelMachine machine(8, 32 * 1024, kGlobalBytes);
    for (const ConvolutionTypes& types : {kFloat, kInt8}) {
        ConvolutionCase wide = square(types, 2, 3, 1, 1);
        wide.input = {1, 2, 5000};
        wide.kernel = {1, 2, 3};
        check_convolution(machine, wide, random);
        ConvolutionCase tall = wide;
        tall.input = {1, 5000, 2};
        tall.kernel = {1, 3, 2};
        tall.pad_before = tall.pad_after = {0, 1, 0};
        check_convolution(machine, tall, random);
        check_convolution(machine, square(types, 5000, 3, 1, 1), random);
        check_convolution(machine, square(types, 2, 5000, 2, 1), random);
        ConvolutionCase long_kernel = square(types, 2, 3, 1, 1);
        long_kernel.input = {1, 3, 6000};
        long_kernel.kernel = {1, 2, 5000};
        long_kernel.pad_before = {0, 1, 4000};
        long_kernel.stride = {1, 1, 40};
        check_convolution(machine, long_kernel, random);
        ConvolutionCase channels = square(types, 5000, 1, 2, 1);
        channels.op = ConvolutionOp::kDepthwise;
        check_convolution(machine, channels, random);
        ConvolutionCase apart = square(types, 2, 3, 3, 2);
        apart.op = ConvolutionOp::kTranspose;
        apart.stride = {1, 700, 900};
        apart.pad_before = apart.pad_after = {0, 100, 0};
        check_convolution(machine, apart, random);
    }
}

/// Weights in parts that are loaded again for the second image.
TEST_CASE("a depthwise kernel larger than local memory") {
    RandomSource random(9);
    KernelMachine machine(2, 2048, kGlobalBytes);
    for (const ConvolutionTypes& types : {kFloat, kInt8}) {
        ConvolutionCase test = square(types, 3, 1, 12, 9);
        test.op = ConvolutionOp::kDepthwise;
        test.images = 2;
        check_convolution(machine, test, random);
    }
}

/// Sums that exceed one exact pass; all products have one sign: 255 * 255 * 4500 > 2^24.
TEST_CASE("integer sums are exact at the ends of the ranges") {
    RandomSource random(8);
    KernelMachine machine(8, 32 * 1024, kGlobalBytes);
    for (const ConvolutionTypes& types : {kInt8, kInt16}) {
        ConvolutionCase test = square(types, 500, 9, 4, 3);
        test.extremes = true;
        check_convolution(machine, test, random);
        test.constants = true;
        check_convolution(machine, test, random);
        ConvolutionCase depthwise = square(types, 9, 1, 40, 33);
        depthwise.op = ConvolutionOp::kDepthwise;
        depthwise.extremes = true;
        check_convolution(machine, depthwise, random);
    }
    for (const ConvolutionTypes& types :
         {kInt8, ConvolutionTypes{DType::kI16, DType::kI16, DType::kI48}}) {
        check_matmul(machine, {types, 1, 5, 3000, 7, false, true}, random);
    }
}

}  // namespace
}  // namespace okksim::tests
