// SPDX-License-Identifier: Apache-2.0
// Depthwise convolutions whose images and rows go over the lanes: every plan, against plain loops.
#include "kernels/conv/folded_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "tests/kernels/operators/operator_run.h"
#include "tests/support/catch.h"
#include "tests/support/packing_memory.h"

namespace {

using namespace okksim;
using namespace okksim::tests;
using kernels::DeviceTensor;
using kernels::conv::FoldedPlan;
using kernels::conv::Problem;
using kernels::conv::WindowAxis;
using tosa::DType;
using Values = std::vector<std::int64_t>;

/// Quarters from -7/4 to 7/4: sums of products of this count are exact in fp32.
Values quarters(std::int64_t count, RandomSource& random) {
    Values values;
    for (std::int64_t i = 0; i < count; ++i) {
        const float value = static_cast<float>(random.between(-7, 7)) * 0.25f;
        values.push_back(std::bit_cast<std::uint32_t>(value));
    }
    return values;
}

float as_float(std::int64_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits)); }

struct Case {
    Problem problem;
    DeviceTensor input, weights, bias, output;
};

WindowAxis random_axis(RandomSource& random) {
    WindowAxis axis;
    axis.taps = static_cast<std::int32_t>(random.between(1, 5));
    axis.step = static_cast<std::int32_t>(random.between(1, 4));
    axis.spacing = static_cast<std::int32_t>(random.between(1, 3));
    axis.input = static_cast<std::int32_t>(random.between(1, 40));
    axis.pad = random.between(0, 4);
    // Zero padding at the end of the input as well, or inputs outside every window.
    const std::int64_t reach =
        axis.input + axis.pad + random.between(-2, 4) - (axis.taps - 1) * axis.spacing - 1;
    axis.output = static_cast<std::int32_t>(std::max<std::int64_t>(reach, 0) / axis.step + 1);
    return axis;
}

/// Activations stored channel first (images and channels at one stride), or channels outermost.
Case random_case(OperatorRun& operators, RandomSource& random, int lanes) {
    Case test;
    Problem& p = test.problem;
    p.kind = kernels::conv::ProblemKind::kDepthwise;
    p.output_channels = static_cast<std::int32_t>(random.between(1, lanes / 2));
    p.input_channels = p.output_channels;
    p.images = static_cast<std::int32_t>(random.between(1, lanes / p.output_channels));
    p.y = random_axis(random);
    p.x = random_axis(random);
    const std::int32_t c = p.output_channels;
    const auto order =
        random.one_in(3) ? std::vector<int>{3, 0, 1, 2} : std::vector<int>{0, 3, 1, 2};
    test.input = operators.tensor(DType::kFp32, {p.images, p.y.input, p.x.input, c}, order);
    test.output = operators.tensor(DType::kFp32, {p.images, p.y.output, p.x.output, c}, order);
    test.weights = operators.tensor(DType::kFp32, {p.y.taps, p.x.taps, c});
    const bool one_bias = random.one_in(4);
    test.bias = operators.tensor(DType::kFp32, {one_bias ? 1 : c});
    const auto maps = [](const DeviceTensor& tensor) {
        return kernels::conv::FeatureMaps{tensor.address,    tensor.type, tensor.strides[0],
                                          tensor.strides[3], 0,           tensor.strides[1],
                                          tensor.strides[2]};
    };
    p.input = maps(test.input);
    p.output = maps(test.output);
    p.weights.address = test.weights.address;
    p.weights.type = DType::kFp32;
    p.weights.y = test.weights.strides[0];
    p.weights.x = test.weights.strides[1];
    p.weights.output = test.weights.strides[2];
    p.bias = {.present = true,
              .address = test.bias.address,
              .type = DType::kFp32,
              .stride = one_bias ? 0 : 1};
    return test;
}

/// The output in the order of its indices.
Values expected(const Case& test, const Values& input, const Values& weights, const Values& bias) {
    const Problem& p = test.problem;
    const std::int32_t channels = p.output_channels;
    Values values;
    const auto tap = [&](std::int32_t n, std::int64_t y, std::int64_t x, std::int32_t c) {
        const bool exists = y >= 0 && y < p.y.input && x >= 0 && x < p.x.input;
        if (!exists) return 0.0;
        const std::int64_t at = ((n * p.y.input + y) * p.x.input + x) * channels + c;
        return double{as_float(input[static_cast<std::size_t>(at)])};
    };
    for (std::int32_t n = 0; n < p.images; ++n) {
        for (std::int32_t oy = 0; oy < p.y.output; ++oy) {
            for (std::int32_t ox = 0; ox < p.x.output; ++ox) {
                for (std::int32_t c = 0; c < channels; ++c) {
                    double sum = as_float(bias[static_cast<std::size_t>(c * p.bias.stride)]);
                    for (std::int32_t ky = 0; ky < p.y.taps; ++ky) {
                        for (std::int32_t kx = 0; kx < p.x.taps; ++kx) {
                            const std::int64_t w = (ky * p.x.taps + kx) * channels + c;
                            sum += as_float(weights[static_cast<std::size_t>(w)]) *
                                   tap(n, oy * p.y.step + ky * p.y.spacing - p.y.pad,
                                       ox * p.x.step + kx * p.x.spacing - p.x.pad, c);
                        }
                    }
                    values.push_back(std::bit_cast<std::uint32_t>(static_cast<float>(sum)));
                }
            }
        }
    }
    return values;
}

}  // namespace

TEST_CASE("every plan with images and rows over the lanes computes the depthwise convolution") {
    struct Size {
        int lanes;
        std::int64_t local_bytes;
    };
    std::size_t plans_run = 0;
    for (const Size size :
         {Size{4, 16 * 1024}, Size{16, 4 * 1024}, Size{64, 64 * 1024}, Size{128, 32 * 1024}}) {
        RandomSource random(static_cast<std::uint64_t>(size.lanes));
        for (int i = 0; i < 12; ++i) {
            KernelMachine machine(size.lanes, size.local_bytes, 8 * 1024 * 1024);
            OperatorRun operators(machine);
            const Case test = random_case(operators, random, size.lanes);
            const Values input = quarters(test.input.count(), random);
            const Values weights = quarters(test.weights.count(), random);
            const Values bias = quarters(test.bias.count(), random);
            operators.write(test.input, input);
            operators.write(test.weights, weights);
            operators.write(test.bias, bias);
            const Values wanted = expected(test, input, weights, bias);
            for (const FoldedPlan& plan :
                 kernels::conv::folded_candidates(test.problem, machine.port().machine())) {
                const auto words = static_cast<std::int32_t>(plan.packed_bytes() / 4);
                const DeviceTensor packed = operators.tensor(DType::kFp32, {words});
                operators.write(test.output, Values(wanted.size(), 0x7FC00000));
                kernels::conv::pack_folded(plan, test.weights.address, test.bias.address,
                                           packed.address,
                                           tests::packing_memory(machine.port().system_memory()));
                machine.run([&] {
                    okk_initialize();
                    kernels::conv::run_folded(test.problem, plan, packed.address);
                    okk_poll();
                });
                INFO(fmt::format("{} lanes, case {}: {} images, {} channels, pieces of {} rows, {}",
                                 size.lanes, i, test.problem.images, test.problem.output_channels,
                                 plan.rows, plan.pieces));
                const Values got = operators.read(test.output);
                CHECK(std::equal(got.begin(), got.end(), wanted.begin(), [](auto a, auto b) {
                    return as_float(a) == as_float(b);  // zeros of either sign
                }));
                ++plans_run;
            }
        }
    }
    CHECK(plans_run > 200);
}
