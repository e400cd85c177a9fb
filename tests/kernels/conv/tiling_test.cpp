// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "isa/limits.h"
#include "kernels/conv/step.h"
#include "kernels/conv/tiling_candidates.h"
#include "tests/support/catch.h"
#include "tests/support/random_source.h"

namespace okksim::kernels::conv {
namespace {

using tests::RandomSource;
using tosa::DType;

TEST_CASE("a window slice counts the zeros on both sides") {
    // 3 taps 2 apart, step 2, one zero before: outputs 0..2 read inputs -1 .. 2*2 - 1 + 2*2 = 7.
    const WindowAxis axis{.input = 6, .output = 3, .taps = 3, .step = 2, .spacing = 2, .pad = 1};
    const AxisSlice all = slice_of(axis, AxisMode::kWindow, {0, 3}, {0, 3});
    CHECK(all.before == 1);
    CHECK(all.first == 0);
    CHECK(all.count == 6);
    CHECK(all.after == 2);  // inputs 6 and 7
    CHECK(all.span() == span_of(axis, AxisMode::kWindow, 3, 3));
    CHECK(most_zeros(axis, AxisMode::kWindow) == 2);
}

TEST_CASE("a single tap loads what it meets and nothing between") {
    // Tap 1 of outputs 0..3 at step 20 reads inputs 17, 37, 57, 77; there are 60.
    const WindowAxis axis{.input = 60, .output = 4, .taps = 2, .step = 20, .spacing = 20, .pad = 3};
    const AxisSlice slice = slice_of(axis, AxisMode::kSingleTap, {0, 4}, {1, 2});
    CHECK(slice.before == 0);
    CHECK(slice.first == 17);
    CHECK(slice.load_step == 20);
    CHECK(slice.count == 3);
    CHECK(slice.after == 1);
    // Tap 0 reads -3 first.
    CHECK(slice_of(axis, AxisMode::kSingleTap, {0, 4}, {0, 1}).before == 1);
}

TEST_CASE("a slice beyond the input holds zeros only") {
    const WindowAxis axis{.input = 4, .output = 20, .taps = 1, .step = 1, .spacing = 1, .pad = 8};
    CHECK(slice_of(axis, AxisMode::kWindow, {0, 8}, {0, 1}).count == 0);
    CHECK(slice_of(axis, AxisMode::kWindow, {12, 20}, {0, 1}).count == 0);
    CHECK(slice_of(axis, AxisMode::kWindow, {7, 9}, {0, 1}).count == 1);
}

TEST_CASE("zeros between inputs count as positions") {
    // Inputs at 0, 3, 6, 9; outputs 1..4 with two taps read positions -1 .. 3 - 1 + 1 = 3 from
    // pad 2.
    const WindowAxis axis{.input = 4, .output = 12, .taps = 2, .pad = 2, .stretch = 3};
    const AxisSlice slice = slice_of(axis, AxisMode::kWindow, {1, 5}, {0, 2});
    CHECK(slice.span() == 5);
    CHECK(slice.before == 1);
    CHECK(slice.first == 0);
    CHECK(slice.count == 2);  // positions 0 and 3
    CHECK(slice.after == 0);
    // Positions 1 and 2 hold no input.
    CHECK(slice_of(axis, AxisMode::kWindow, {3, 4}, {0, 2}).count == 0);
    CHECK(slice_of(axis, AxisMode::kWindow, {3, 4}, {0, 2}).span() == 2);
}

WindowAxis random_axis(RandomSource& random) {
    WindowAxis axis;
    axis.taps =
        static_cast<std::int32_t>(random.one_in(6) ? random.between(1, 900) : random.between(1, 7));
    axis.step =
        static_cast<std::int32_t>(random.one_in(6) ? random.between(1, 40) : random.between(1, 3));
    axis.spacing = static_cast<std::int32_t>(random.one_in(6) ? random.between(1, 40) : 1);
    axis.output = static_cast<std::int32_t>(random.one_in(4) ? random.between(1, 3000)
                                                             : random.between(1, 100));
    axis.input = static_cast<std::int32_t>(random.between(1, 4000));
    axis.pad = random.between(-3, 30);
    return axis;
}

Problem random_problem(RandomSource& random) {
    Problem problem;
    problem.kind = random.one_in(3) ? ProblemKind::kDepthwise : ProblemKind::kFull;
    problem.images = static_cast<std::int32_t>(random.between(1, 4));
    problem.output_channels = static_cast<std::int32_t>(random.between(1, 600));
    problem.input_channels = problem.kind == ProblemKind::kDepthwise
                                 ? problem.output_channels
                                 : static_cast<std::int32_t>(random.between(1, 5000));
    problem.y = random_axis(random);
    problem.x = random_axis(random);
    const DType types[] = {DType::kFp32, DType::kI8, DType::kI16, DType::kFp16, DType::kFp8E4M3};
    const DType outputs[] = {DType::kFp32, DType::kI32, DType::kI48, DType::kFp16, DType::kFp16};
    const auto type = static_cast<std::size_t>(random.below(5));
    problem.input.type = types[type];
    problem.weights.type = types[type] == DType::kI16 ? DType::kI8 : types[type];
    problem.output.type = outputs[type];
    return problem;
}

void check_tiling(const Problem& problem, const SumRule& rule, const Machine& machine,
                  const Tiling& tiling) {
    const Tile& tile = tiling.tile;
    CHECK(span_of(problem.y, tiling.mode_y, tile.y, tile.taps_y) <= isa::kMostWindowExtent);
    CHECK(span_of(problem.x, tiling.mode_x, tile.x, tile.taps_x) <= isa::kMostWindowExtent);
    CHECK(tile.channels <= isa::kMostChannels);
    CHECK(tile.inputs <= isa::kMostChannels);
    CHECK((tile.channels % machine.lanes.count == 0 || tile.channels == problem.output_channels));
    CHECK((tile.inputs % 2 == 0 || tiling.counts.inputs == 1));
    if (rule.exact()) CHECK(tile.taps_y * tile.taps_x <= rule.exact_terms);
    const auto bytes = [](const OperandBuffers& buffers) {
        return static_cast<std::uint64_t>(buffers.packed_slots) * buffers.packed_bytes +
               static_cast<std::uint64_t>(buffers.plane_slots) * buffers.plane_bytes;
    };
    const std::uint64_t used = bytes(tiling.input) + bytes(tiling.weights) +
                               static_cast<std::uint64_t>(tiling.ring_slots) * tiling.ring_bytes +
                               static_cast<std::uint64_t>(tiling.work_planes) * tiling.plane_bytes +
                               tiling.scratch_bytes;
    CHECK(used <= machine.local_bytes);
    CHECK(tiling.counts.y * tile.y >= problem.y.output);
    CHECK((tiling.counts.y - 1) * tile.y < problem.y.output);
    CHECK(tiling.counts.channels * tile.channels >= problem.output_channels);
}

/// Every product of every output belongs to exactly one step: the parts of a tiling cover each
/// dimension. Every tile fits a command and local memory.
TEST_CASE("tilings of random problems fit commands and memory") {
    RandomSource random(11);
    for (int i = 0; i < 60; ++i) {
        const Problem problem = random_problem(random);
        const SumRule rule = sum_rule(problem, Lanes{});
        const Machine machine =
            random.one_in(2) ? Machine{{4, 32}, 15 * 1024} : Machine{{64, 32}, 500 * 1024};
        int count = 0;
        for_each_tiling(problem, rule, machine, [&](const Tiling& tiling) {
            // Only every hundredth tiling is checked, because there are many.
            if (++count % 100 == 1) check_tiling(problem, rule, machine, tiling);
        });
        CHECK(count > 0);
    }
}

TEST_CASE(
    "pixels side by side are cut where lines of local memory end, where that is as few parts") {
    // 4 rows of 1024 values by 25088 columns, as a 1x1 convolution; lines of 32 words.
    Problem problem;
    problem.input_channels = 1024;
    problem.output_channels = 4;
    problem.x = {.input = 25088, .output = 25088};
    problem.input.type = problem.weights.type = problem.output.type = DType::kFp32;
    std::set<std::int32_t> widths;
    for_each_tiling(problem, sum_rule(problem, Lanes{}), Machine{{64, 32}, 500 * 1024},
                    [&](const Tiling& tiling) { widths.insert(tiling.tile.x); });
    // 13 parts of 1930 become 12 of 1952 and a rest. No part is above 2047 columns.
    CHECK(widths.count(1952) == 1);
    CHECK(widths.count(1930) == 0);
    for (const std::int32_t width : widths) CHECK((width % 32 == 0 || width < 32));
    // Windows of several taps keep their cuts: their first input is not where they begin.
    problem.x.taps = 3;
    problem.x.output = 25086;
    widths.clear();
    for_each_tiling(problem, sum_rule(problem, Lanes{}), Machine{{64, 32}, 500 * 1024},
                    [&](const Tiling& tiling) { widths.insert(tiling.tile.x); });
    CHECK(widths.count(1930) == 1);  // ceil(25086 / 13)
}

TEST_CASE("steps name every part of an output once") {
    Problem problem;
    problem.input_channels = 10;
    problem.output_channels = 6;
    problem.y = {.input = 8, .output = 8, .taps = 3, .step = 1, .spacing = 1, .pad = 1};
    problem.x = problem.y;
    Tiling tiling;
    tiling.tile = {1, 4, 3, 8, 4, 3, 3};
    // 3 row parts, 2 channel parts, 3 input parts.
    tiling.counts = {1, 1, 3, 1, 2, 1, 1, 1, 3};
    const std::vector<Step> steps = make_steps(problem, tiling);
    REQUIRE(steps.size() == 3 * 2 * 3);
    int first = 0, last = 0;
    for (const Step& step : steps) {
        first += step.first ? 1 : 0;
        last += step.last ? 1 : 0;
        CHECK_FALSE(step.empty);
    }
    CHECK(first == 6);
    CHECK(last == 6);
    // The last part of the rows has two rows, that of the inputs two channels.
    CHECK(steps.back().y.size() == 2);
    CHECK(steps.back().inputs.size() == 2);
    CHECK(steps.back().slice_y.before == 0);
    CHECK(steps.back().slice_y.after == 1);
    // Tiles at the same position share their inputs; tiles of the same channels share their
    // weights.
    CHECK(steps[0].input_key == steps[3].input_key);
    CHECK(steps[0].weight_key != steps[3].weight_key);
    CHECK(steps[0].weight_key == steps[6].weight_key);
}

}  // namespace
}  // namespace okksim::kernels::conv
