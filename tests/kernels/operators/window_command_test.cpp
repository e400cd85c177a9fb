// SPDX-License-Identifier: Apache-2.0
// Every plan of reductions and pools whose windows one command can combine, against plain loops.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <numeric>

#include "kernels/pool/pool_planner.h"
#include "kernels/pool/pool_runner.h"
#include "kernels/pool/pool_windows.h"
#include "kernels/prim/raw.h"
#include "kernels/reduction/axis_reduction.h"
#include "kernels/reduction/reduction_planner.h"
#include "kernels/reduction/reduction_run.h"
#include "tests/kernels/operators/operator_run.h"
#include "tests/support/catch.h"

namespace {

using namespace okksim;
using namespace okksim::kernels;
using namespace okksim::tests;
using tosa::DType;
using Words = std::vector<std::int64_t>;

struct Size {
    int lanes;
    std::int64_t local_bytes;
};
constexpr Size kSizes[] = {{4, 16 * 1024}, {16, 4 * 1024}, {64, 64 * 1024}, {128, 32 * 1024}};

float as_float(std::int64_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits)); }

/// Quarters from -4 to 4: sums are exact in fp32 in any order.
Words quarters(std::int64_t count, RandomSource& random) {
    Words words;
    for (std::int64_t i = 0; i < count; ++i) {
        const float value = static_cast<float>(random.between(-16, 16)) * 0.25f;
        words.push_back(std::bit_cast<std::uint32_t>(value));
    }
    return words;
}

/// Zeros of both signs are equal.
bool same(const Words& got, const std::vector<float>& wanted) {
    return std::equal(got.begin(), got.end(), wanted.begin(), wanted.end(),
                      [](std::int64_t a, float b) { return as_float(a) == b; });
}

float combined(Combination combination, float a, float b) {
    return combination == Combination::kFloatSum ? a + b : std::max(a, b);
}

std::vector<int> random_order(RandomSource& random, std::size_t rank) {
    std::vector<int> order(rank);
    std::iota(order.begin(), order.end(), 0);
    for (std::size_t i = rank; i > 1; --i) {
        std::swap(order[i - 1],
                  order[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(i)))]);
    }
    return order;
}

/// Reduces along the middle one of three dimensions.
std::vector<float> reduced(const Words& values, const std::vector<std::int32_t>& dims,
                           Combination combination) {
    std::vector<float> results;
    for (std::int32_t left = 0; left < dims[0]; ++left) {
        for (std::int32_t right = 0; right < dims[2]; ++right) {
            const auto at = [&](std::int32_t i) {
                return as_float(
                    values[static_cast<std::size_t>((left * dims[1] + i) * dims[2] + right)]);
            };
            float result = at(0);
            for (std::int32_t i = 1; i < dims[1]; ++i) {
                result = combined(combination, result, at(i));
            }
            results.push_back(result);
        }
    }
    return results;
}

}  // namespace

TEST_CASE("every plan of a reduction gives its results, by folds and by windows") {
    std::size_t by_window = 0, in_place = 0;
    for (const Size& size : kSizes) {
        RandomSource random(static_cast<std::uint64_t>(size.lanes));
        for (int i = 0; i < 10; ++i) {
            const Combination combination =
                random.one_in(3) ? Combination::kPlainMaximum : Combination::kFloatSum;
            const auto extent = [&] {
                return static_cast<std::int32_t>(random.between(1, random.pick({3, 40, 150})));
            };
            std::vector<std::int32_t> dims{extent(), extent(), extent()};
            if (random.one_in(5)) dims = {2, 3000, 3};  // beyond what a command takes at once
            KernelMachine machine(size.lanes, size.local_bytes, 32 * 1024 * 1024);
            OperatorRun operators(machine);
            const DeviceTensor input =
                operators.tensor(DType::kFp32, dims, random_order(random, 3));
            const DeviceTensor output =
                operators.tensor(DType::kFp32, {dims[0], 1, dims[2]}, random_order(random, 3));
            const Words values = quarters(input.count(), random);
            operators.write(input, values);
            const Combiner combiner(combination, prim::NanMode::kPropagate);
            const ReductionSpace space = reduction_space(
                {input.address, input.type, WordForm::kValue, input.strides},
                {output.address, output.type, WordForm::kValue, output.strides}, dims, 1);
            const std::vector<float> wanted = reduced(values, dims, combination);
            for (const ReductionPlan& plan :
                 reduction_candidates(combiner, space, machine.port().machine())) {
                operators.write(output, Words(wanted.size(), 0x7FC00000));
                machine.run([&] {
                    okk_initialize();
                    run_reduction(combiner, space, plan);
                    okk_poll();
                });
                INFO(fmt::format("{} lanes: {} x {} x {}, window {}, along w {}, {} at a time",
                                 size.lanes, dims[0], dims[1], dims[2], plan.by_window,
                                 plan.along_w, plan.count));
                CHECK(same(operators.read(output), wanted));
                by_window += plan.by_window ? 1 : 0;
                in_place += plan.in_place ? 1 : 0;
            }
        }
    }
    CHECK(by_window > 200);
    CHECK(in_place > 200);
}

namespace {

/// Runs every tiling of the windows and compares the output with `wanted`; returns the number of
/// tilings.
std::size_t check_tiles(KernelMachine& machine, OperatorRun& operators, const Combiner& combiner,
                        const std::vector<WindowMaps>& all, const DeviceTensor& input,
                        const DeviceTensor& output, const std::vector<float>& wanted) {
    std::vector<WindowTiles> tiles;
    for (const WindowMaps& maps : all) add_window_tiles(maps, machine.port().machine(), tiles);
    for (const WindowTiles& each : tiles) {
        operators.write(output, Words(wanted.size(), 0x7FC00000));
        machine.run([&] {
            okk_initialize();
            run_window_tiles(combiner, each, {output.address, input.address});
            okk_poll();
        });
        INFO(fmt::format("{} groups of {} planes, {} x {} to {} x {}, {} at a time",
                         each.maps.groups, each.maps.planes, each.maps.height, each.maps.width,
                         each.maps.out_height, each.maps.out_width, each.tile_planes));
        CHECK(same(operators.read(output), wanted));
    }
    return tiles.size();
}

}  // namespace

TEST_CASE("every way to reduce by tiles of windows gives the sums") {
    std::size_t ways = 0;
    for (const Size& size : kSizes) {
        RandomSource random(static_cast<std::uint64_t>(size.lanes) + 2);
        for (int i = 0; i < 40; ++i) {
            const auto extent = [&] {
                return static_cast<std::int32_t>(
                    random.between(1, random.pick({1, 3, 16, 40, 300})));
            };
            std::vector<std::int32_t> dims{extent(), extent(), extent()};
            if (random.one_in(4)) dims = {5, 4200, 1};  // lines beyond what a command takes
            KernelMachine machine(size.lanes, size.local_bytes, 64 * 1024 * 1024);
            OperatorRun operators(machine);
            // Row major, or the rows of one image after another.
            const std::vector<int> order =
                random.one_in(3) ? std::vector<int>{1, 0, 2} : std::vector<int>{0, 1, 2};
            const DeviceTensor input = operators.tensor(DType::kFp32, dims, order);
            const DeviceTensor output =
                operators.tensor(DType::kFp32, {dims[0], 1, dims[2]}, order);
            const Words values = quarters(input.count(), random);
            operators.write(input, values);
            const Combiner combiner(Combination::kFloatSum, prim::NanMode::kPropagate);
            const ReductionSpace space = reduction_space(
                {input.address, input.type, WordForm::kValue, input.strides},
                {output.address, output.type, WordForm::kValue, output.strides}, dims, 1);
            INFO(fmt::format("{} lanes: {} x {} x {}", size.lanes, dims[0], dims[1], dims[2]));
            ways += check_tiles(machine, operators, combiner,
                                maps_of(combiner, space, lanes_of(machine.port().machine())), input,
                                output, reduced(values, dims, Combination::kFloatSum));
        }
    }
    CHECK(ways > 500);
}

namespace {

constexpr float kWeight = 0.25f;

/// Windows of random sizes, strides and zeros; terms of sums are multiplied by kWeight.
PoolOperator random_pool(OperatorRun& operators, RandomSource& random) {
    const Combination combination =
        random.one_in(3) ? Combination::kPlainMaximum : Combination::kFloatSum;
    PoolOperator op{Combiner(combination, prim::NanMode::kPropagate),
                    {},
                    {},
                    WordForm::kValue,
                    {},
                    WordForm::kValue,
                    {}};
    for (std::size_t axis = 0; axis < 2; ++axis) {
        PoolShape& shape = op.shape;
        shape.kernel[axis] = static_cast<std::int32_t>(random.between(1, random.pick({3, 9})));
        shape.stride[axis] = static_cast<std::int32_t>(random.between(1, random.pick({2, 20})));
        shape.input[axis] = static_cast<std::int32_t>(random.between(1, 24));
        const std::int32_t most = shape.kernel[axis] - 1;
        shape.pad_before[axis] = static_cast<std::int32_t>(random.between(0, most));
        const std::int64_t covered =
            std::max<std::int64_t>(shape.input[axis] + shape.pad_before[axis] +
                                       random.between(0, most) - shape.kernel[axis],
                                   0);
        shape.output[axis] = static_cast<std::int32_t>(covered / shape.stride[axis] + 1);
    }
    const auto batch = static_cast<std::int32_t>(random.between(1, 3));
    const auto channels = static_cast<std::int32_t>(random.between(1, random.pick({5, 150})));
    const auto order =
        random.one_in(2) ? std::vector<int>{0, 3, 1, 2} : std::vector<int>{0, 1, 2, 3};
    op.input = operators.tensor(DType::kFp32,
                                {batch, op.shape.input[0], op.shape.input[1], channels}, order);
    op.output = operators.tensor(DType::kFp32,
                                 {batch, op.shape.output[0], op.shape.output[1], channels}, order);
    if (combination == Combination::kFloatSum) {
        op.stages.weight = kWeight;
        op.stages.adapt = [](const prim::LocalTensor& words, prim::Scratch&) {
            prim::raw::multiply(words, words, kWeight);
        };
    }
    return op;
}

std::vector<float> pooled(const PoolOperator& op, const Words& values) {
    const bool sums = op.stages.weight.has_value();
    const auto& [height, width] = op.shape.output;
    const std::int32_t channels = op.input.dims[3];
    std::vector<float> results;
    for (std::int32_t n = 0; n < op.input.dims[0]; ++n) {
        for (std::int32_t i = 0; i < height * width * channels; ++i) {
            const std::int32_t c = i % channels;
            const std::int32_t top =
                i / channels / width * op.shape.stride[0] - op.shape.pad_before[0];
            const std::int32_t left =
                i / channels % width * op.shape.stride[1] - op.shape.pad_before[1];
            float result = sums ? 0.0f : -100.0f;
            for (std::int32_t y = std::max(top, 0);
                 y < std::min(top + op.shape.kernel[0], op.shape.input[0]); ++y) {
                for (std::int32_t x = std::max(left, 0);
                     x < std::min(left + op.shape.kernel[1], op.shape.input[1]); ++x) {
                    const std::int64_t at =
                        ((n * op.shape.input[0] + y) * op.shape.input[1] + x) * channels + c;
                    const float value = as_float(values[static_cast<std::size_t>(at)]);
                    result = sums ? result + kWeight * value : std::max(result, value);
                }
            }
            results.push_back(result);
        }
    }
    return results;
}

}  // namespace

TEST_CASE("every plan of a pool gives its results, by folds and by windows") {
    std::size_t by_window = 0;
    for (const Size& size : kSizes) {
        RandomSource random(static_cast<std::uint64_t>(size.lanes) + 1);
        for (int i = 0; i < 10; ++i) {
            KernelMachine machine(size.lanes, size.local_bytes, 32 * 1024 * 1024);
            OperatorRun operators(machine);
            const PoolOperator op = random_pool(operators, random);
            const Words values = quarters(op.input.count(), random);
            operators.write(op.input, values);
            const std::vector<float> wanted = pooled(op, values);
            for (const PoolPlan& plan : pool_candidates(op, machine.port().machine())) {
                operators.write(op.output, Words(wanted.size(), 0x7FC00000));
                machine.run([&] {
                    okk_initialize();
                    run_pool(op, plan);
                    okk_poll();
                });
                INFO(fmt::format("{} lanes: {}x{} by {}x{} at {}x{}, {} channels, window {}",
                                 size.lanes, op.shape.input[0], op.shape.input[1],
                                 op.shape.kernel[0], op.shape.kernel[1], op.shape.stride[0],
                                 op.shape.stride[1], op.input.dims[3], plan.by_window));
                CHECK(same(operators.read(op.output), wanted));
                by_window += plan.by_window ? 1 : 0;
            }
        }
    }
    CHECK(by_window > 100);
}

TEST_CASE("every way to pool by tiles of windows gives the sums") {
    std::size_t ways = 0, joint = 0;
    for (const Size& size : kSizes) {
        RandomSource random(static_cast<std::uint64_t>(size.lanes) + 3);
        for (int i = 0; i < 60; ++i) {
            KernelMachine machine(size.lanes, size.local_bytes, 32 * 1024 * 1024);
            OperatorRun operators(machine);
            PoolOperator op = random_pool(operators, random);
            PoolShape& shape = op.shape;
            // Half of the windows cover the whole plane, so that planes can follow each other in a
            // lane.
            if (random.one_in(2)) shape.kernel = shape.input;
            shape.pad_before = {};
            for (std::size_t axis = 0; axis < 2; ++axis) {
                shape.kernel[axis] = std::min(shape.kernel[axis], shape.input[axis]);
                shape.output[axis] =
                    (shape.input[axis] - shape.kernel[axis]) / shape.stride[axis] + 1;
            }
            const auto map = [&](const std::array<std::int32_t, 2>& extents) {
                return operators.tensor(
                    DType::kFp32, {op.input.dims[0], extents[0], extents[1], op.input.dims[3]},
                    {0, 3, 1, 2});
            };
            op.input = map(shape.input);
            op.output = map(shape.output);
            const Words values = quarters(op.input.count(), random);
            operators.write(op.input, values);
            const std::vector<WindowMaps> all = maps_of(op, lanes_of(machine.port().machine()));
            for (const WindowMaps& maps : all) joint += maps.out_height > op.shape.output[0];
            ways += check_tiles(machine, operators, op.combiner, all, op.input, op.output,
                                pooled(op, values));
        }
    }
    CHECK(ways > 200);
    CHECK(joint > 20);
}
