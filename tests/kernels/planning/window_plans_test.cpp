// SPDX-License-Identifier: Apache-2.0
// Choices of the planners for pools, reductions, RESIZE and Fourier transforms, compared with the
// times of all alternatives.
#include <fmt/format.h>

#include <array>
#include <numeric>
#include <string>

#include "kernels/conv/folded_plan.h"
#include "kernels/fourier/fourier_lanes.h"
#include "kernels/fourier/fourier_pass.h"
#include "kernels/pool/pool_planner.h"
#include "kernels/pool/pool_runner.h"
#include "kernels/reduction/axis_reduction.h"
#include "kernels/reduction/reduction_planner.h"
#include "kernels/reduction/reduction_run.h"
#include "kernels/resize/resize_plan.h"
#include "models/chip/chip_params.h"
#include "sim/machine/machine.h"
#include "sim/pricing/machine_host.h"
#include "tests/support/catch.h"
#include "tests/support/plan_ratio.h"
#include "tests/support/random_machine.h"
#include "tests/support/random_source.h"
#include "tests/support/stored_tensor.h"

namespace okksim::kernels {
namespace {

using tests::RandomSource;
using tosa::DType;

constexpr std::uint64_t kApart = 64 << 20;

/// Calls `check(host, random, memory)` for 200 machines of three sizes with random rates.
template <typename Check>
void on_random_machines(std::uint64_t seed, const Check& check) {
    RandomSource random(seed);
    const models::MachineParams reference = sim::load_machine("bm1684").params;
    for (int i = 0; i < 1000; ++i) {
        models::MachineParams params = tests::with_random_rates(reference, random);
        if (i % 4 == 1) {
            params.chip->lanes = 8;
            params.chip->local_memory_bytes = 32 * 1024;
        }
        const sim::pricing::KnownMemory known;
        sim::pricing::MachineHost host(params, {}, known);
        INFO("machine " << i);
        check(host, random, params.shape().global_start);
    }
}

std::vector<int> feature_order(RandomSource& random) {
    return random.one_in(2) ? std::vector<int>{0, 3, 1, 2} : std::vector<int>{0, 1, 2, 3};
}

std::int32_t size(RandomSource& random, int most_bits) {
    return static_cast<std::int32_t>(
        random.between(1, std::int64_t{1} << random.between(0, most_bits)));
}

PoolOperator random_pool(RandomSource& random, std::uint64_t memory) {
    PoolOperator op{Combiner(random.one_in(2) ? Combination::kFloatMaximum : Combination::kFloatSum,
                             prim::NanMode::kPropagate),
                    {},
                    {},
                    WordForm::kValue,
                    {},
                    WordForm::kValue,
                    {}};
    PoolShape& shape = op.shape;
    for (std::size_t axis = 0; axis < 2; ++axis) {
        shape.kernel[axis] = size(random, 4);
        shape.stride[axis] = size(random, 2);
        shape.pad_before[axis] = static_cast<std::int32_t>(random.below(shape.kernel[axis]));
        shape.output[axis] = size(random, 6);
        const std::int32_t covered =
            (shape.output[axis] - 1) * shape.stride[axis] + shape.kernel[axis];
        shape.input[axis] = std::max(1, covered - shape.pad_before[axis]);
    }
    const std::int32_t batch = size(random, 2), channels = size(random, 9);
    const std::vector<int> order = feature_order(random);
    const DType type = random.one_in(2) ? DType::kFp32 : DType::kFp16;
    op.input = tests::stored_tensor(type, {batch, shape.input[0], shape.input[1], channels}, order,
                                    memory);
    op.output = tests::stored_tensor(type, {batch, shape.output[0], shape.output[1], channels},
                                     order, memory + kApart);
    return op;
}

TEST_CASE("pools are within 3 percent of the best of all plans on 1000 machines") {
    on_random_machines(21, [](Host& host, RandomSource& random, std::uint64_t memory) {
        const PoolOperator op = random_pool(random, memory);
        const double ratio = tests::ratio_to_best(
            plan_pool(op, host), pool_candidates(op, host.machine()), host,
            [&](const PoolPlan& plan) { run_pool_steps(op, plan, INT64_MAX); });
        INFO(fmt::format("kernel {}x{}, output {}x{}", op.shape.kernel[0], op.shape.kernel[1],
                         op.shape.output[0], op.shape.output[1]));
        CHECK(ratio <= 1.03);
    });
}

struct Reduction {
    Combiner combiner;
    ReductionSpace space;
};

Reduction random_reduction(RandomSource& random, std::uint64_t memory) {
    constexpr std::array kCombinations{Combination::kFloatSum, Combination::kFloatMaximum,
                                       Combination::kFloatArgmax, Combination::kProduct};
    const std::vector<std::int32_t> dims{size(random, 5), size(random, 9), size(random, 6)};
    std::vector<std::int32_t> reduced = dims;
    const int axis = static_cast<int>(random.below(3));
    reduced[static_cast<std::size_t>(axis)] = 1;
    const std::vector<int> order =
        random.one_in(2) ? std::vector<int>{0, 1, 2} : std::vector<int>{0, 2, 1};
    const DeviceTensor input = tests::stored_tensor(DType::kFp32, dims, order, memory);
    const DeviceTensor output = tests::stored_tensor(DType::kFp32, reduced, order, memory + kApart);
    Reduction reduction{
        Combiner(random.element(kCombinations), prim::NanMode::kPropagate),
        reduction_space({input.address, input.type, WordForm::kValue, input.strides},
                        {output.address, output.type, WordForm::kValue, output.strides}, dims,
                        axis)};
    return reduction;
}

TEST_CASE("reductions are within 3 percent of the best of all plans on 1000 machines") {
    on_random_machines(22, [](Host& host, RandomSource& random, std::uint64_t memory) {
        const auto [rules, space] = random_reduction(random, memory);
        const Combiner combiner = rules.of_terms(space.extent);
        const auto run = [&, &combiner = combiner, &space = space](const ReductionPlan& plan) {
            run_reduction_steps(combiner, space, plan, INT64_MAX);
        };
        INFO(fmt::format("{} outputs of {} values", space.outputs(), space.extent));
        CHECK(tests::ratio_to_best(plan_reduction(combiner, space, host),
                                   reduction_candidates(combiner, space, host.machine()), host,
                                   run) <= 1.03);
        const auto go = [&, &rules = rules, &space = space](const ReductionRoute& route) {
            static_cast<void>(run_route(rules, space, route));
        };
        CHECK(tests::ratio_to_best(plan_route(rules, space, host),
                                   route_candidates(rules, space, host), host, go) <= 1.03);
    });
}

TEST_CASE("tiles of windows are within 3 percent of the best of all plans on 1000 machines") {
    std::size_t compared = 0;
    on_random_machines(25, [&](Host& host, RandomSource& random, std::uint64_t memory) {
        const Combiner sum(Combination::kFloatSum, prim::NanMode::kPropagate);
        const ReductionSpace space = random_reduction(random, memory).space;
        const WindowEnds ends{space.out.address, space.in.address};
        const std::vector<WindowMaps> maps = maps_of(sum, space, lanes_of(host.machine()));
        const auto tiles = plan_window_tiles(sum, maps, ends, host);
        if (!tiles) return;
        ++compared;
        std::vector<WindowTiles> all;
        for (const WindowMaps& each : maps) add_window_tiles(each, host.machine(), all);
        INFO(fmt::format("{} outputs of {} values", space.outputs(), space.extent));
        CHECK(tests::ratio_to_best(*tiles, all, host, [&](const WindowTiles& each) {
                  run_window_tiles(sum, each, ends);
              }) <= 1.03);
    });
    CHECK(compared > 500);
}

/// A depthwise convolution with few channels.
conv::Problem random_depthwise(RandomSource& random, std::uint64_t memory) {
    conv::Problem problem;
    problem.kind = conv::ProblemKind::kDepthwise;
    problem.output_channels = problem.input_channels =
        static_cast<std::int32_t>(random.between(1, 4));
    problem.images = static_cast<std::int32_t>(random.between(1, 3));
    for (conv::WindowAxis* axis : {&problem.y, &problem.x}) {
        axis->taps = static_cast<std::int32_t>(random.between(1, 5));
        axis->step = static_cast<std::int32_t>(random.between(1, 3));
        axis->output = size(random, 7);
        axis->pad = random.below(axis->taps);
        axis->input = static_cast<std::int32_t>(
            std::max<std::int64_t>((axis->output - 1) * axis->step + axis->taps - axis->pad, 1));
    }
    const auto maps = [&](std::uint64_t address, std::int64_t height, std::int64_t width) {
        conv::FeatureMaps own{address, DType::kFp32};
        own.x = 1;
        own.y = width;
        own.channel = height * width;
        own.image = own.channel * problem.output_channels;
        return own;
    };
    problem.input = maps(memory, problem.y.input, problem.x.input);
    problem.output = maps(memory + kApart, problem.y.output, problem.x.output);
    problem.weights.type = DType::kFp32;
    problem.bias.present = true;
    problem.bias.type = DType::kFp32;
    return problem;
}

TEST_CASE("images and rows over the lanes are within 3 percent of the best on 1000 machines") {
    std::size_t compared = 0;
    on_random_machines(26, [&](Host& host, RandomSource& random, std::uint64_t memory) {
        const conv::Problem problem = random_depthwise(random, memory);
        const std::uint64_t constants = memory + 2 * kApart;
        const auto plan = conv::plan_folded(problem, constants, host);
        if (!plan) return;
        ++compared;
        INFO(fmt::format("{} images of {} channels, {} x {}", problem.images,
                         problem.output_channels, problem.y.output, problem.x.output));
        CHECK(tests::ratio_to_best(*plan, conv::folded_candidates(problem, host.machine()), host,
                                   [&](const conv::FoldedPlan& each) {
                                       conv::run_folded(problem, each, constants);
                                   }) <= 1.03);
    });
    CHECK(compared > 500);
}

ResizeOperator random_resize(RandomSource& random, std::uint64_t memory) {
    ResizeOperator op;
    op.bilinear = random.one_in(2);
    op.in_form = op.out_form = op.bilinear ? WordForm::kFloat : WordForm::kBits;
    for (ResizeAxis* axis : {&op.y, &op.x}) {
        axis->numerator = random.between(1, 8);
        axis->denominator = random.between(1, 4);
        axis->in = size(random, 6);
        axis->out =
            std::max<std::int64_t>(1, (axis->in - 1) * axis->numerator / axis->denominator + 1);
    }
    op.channels = size(random, 7);
    const auto channels = static_cast<std::int32_t>(op.channels);
    const std::vector<int> order = feature_order(random);
    const auto tensor = [&](std::int64_t y, std::int64_t x, std::uint64_t address) {
        return tests::stored_tensor(
            DType::kFp32, {1, static_cast<std::int32_t>(y), static_cast<std::int32_t>(x), channels},
            order, address);
    };
    op.input = tensor(op.y.in, op.x.in, memory);
    op.output = tensor(op.y.out, op.x.out, memory + kApart);
    return op;
}

TEST_CASE("RESIZE is within 3 percent of the best of all plans on 1000 machines") {
    on_random_machines(23, [](Host& host, RandomSource& random, std::uint64_t memory) {
        const ResizeOperator op = random_resize(random, memory);
        const double ratio =
            tests::ratio_to_best(plan_resize(op, host), resize_candidates(op, host.machine()), host,
                                 [&](const ResizePlan& plan) { run_resize(op, plan, INT64_MAX); });
        INFO(fmt::format("{}x{} to {}x{}, {} channels", op.y.in, op.x.in, op.y.out, op.x.out,
                         op.channels));
        CHECK(ratio <= 1.03);
    });
}

Transform random_transform(RandomSource& random, std::uint64_t memory) {
    Transform transform;
    FourierSize& all = transform.size;
    all.length = std::int32_t{1} << random.between(1, 9);
    all.lines = std::int32_t{1} << random.between(0, 8);
    all.batches = size(random, 2);
    all.kept = random.one_in(3) ? all.length / 2 + 1 : all.length;
    const bool columns = random.one_in(2);
    const auto region = [&](std::uint64_t address) {
        const std::int64_t plane = std::int64_t{all.lines} * all.length;
        return ComplexRegion{address, address + kApart / 2, plane, columns ? 1 : all.length,
                             columns ? all.lines : 1};
    };
    transform.from = region(memory);
    transform.to = region(memory + kApart);
    transform.roots = {memory + 2 * kApart, all.length, 0};
    return transform;
}

TEST_CASE("Fourier transforms are within 3 percent of the best of all plans on 1000 machines") {
    on_random_machines(24, [](Host& host, RandomSource& random, std::uint64_t memory) {
        const Transform transform = random_transform(random, memory);
        const FourierSize& all = transform.size;
        INFO(fmt::format("{} x {} of {}", all.batches, all.lines, all.length));
        const TransformPlan chosen = plan_transform(transform, host);
        CHECK(tests::ratio_to_best(
                  chosen, transform_candidates(transform, host), host,
                  [&](const TransformPlan& plan) { run_transform(transform, plan); }) <= 1.03);
        if (chosen.columns != 0) return;
        CHECK(tests::ratio_to_best(
                  chosen.lanes.front(), lane_candidates(transform, host.machine()), host,
                  [&](const LanePlan& plan) { run_in_lanes(transform, plan, INT64_MAX); }) <= 1.03);
    });
}

}  // namespace
}  // namespace okksim::kernels
