// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/tile_search.h"

#include <fmt/format.h>

#include "kernels/conv/channel_round.h"
#include "kernels/conv/tiling_candidates.h"
#include "sim/machine/machine.h"
#include "sim/pricing/machine_host.h"
#include "tests/support/catch.h"
#include "tests/support/random_machine.h"
#include "tests/support/random_source.h"

namespace okksim::kernels::conv {
namespace {

using tests::RandomSource;
using tosa::DType;

FeatureMaps channel_first(DType type, std::uint64_t address, std::int64_t channels, std::int64_t y,
                          std::int64_t x) {
    return {address, type, channels * y * x, y * x, 0, x, 1};
}

/// A convolution as in real networks, small enough to try all of its tilings.
Problem random_problem(RandomSource& random, std::uint64_t memory) {
    Problem problem;
    problem.kind = random.one_in(4) ? ProblemKind::kDepthwise : ProblemKind::kFull;
    problem.output_channels = static_cast<std::int32_t>(random.between(1, 40)) * 8;
    problem.input_channels = problem.kind == ProblemKind::kDepthwise
                                 ? problem.output_channels
                                 : static_cast<std::int32_t>(random.between(1, 40)) * 8;
    const auto taps = static_cast<std::int32_t>(random.one_in(2) ? 1 : 3);
    const auto input = static_cast<std::int32_t>(random.between(4, 30));
    const auto step = static_cast<std::int32_t>(random.one_in(3) ? 2 : 1);
    problem.y = {.input = input,
                 .output = (input + 2 * (taps / 2) - taps) / step + 1,
                 .taps = taps,
                 .step = step,
                 .pad = taps / 2};
    problem.x = problem.y;
    const DType types[] = {DType::kFp32, DType::kI8, DType::kFp16};
    const DType sums[] = {DType::kFp32, DType::kI32, DType::kFp16};
    const auto type = static_cast<std::size_t>(random.below(3));
    constexpr std::uint64_t kApart = 64 << 20;
    problem.input = channel_first(types[type], memory, problem.input_channels, input, input);
    problem.output = channel_first(sums[type], memory + kApart, problem.output_channels,
                                   problem.y.output, problem.x.output);
    const std::int64_t inner = problem.kind == ProblemKind::kDepthwise ? 1 : problem.input_channels;
    problem.weights = {.address = memory + 2 * kApart,
                       .type = types[type],
                       .output = inner * taps * taps,
                       .input = 1,
                       .y = inner * taps,
                       .x = inner};
    if (types[type] == DType::kI8) {
        static const DeviceTensor somewhere{};
        problem.input_zero = {&somewhere, random.between(-20, 20)};
    }
    return problem;
}

/// The best time of all tilings that fit.
Duration best_of_all(const Problem& problem, const SumRule& rule, Host& host, Duration known) {
    const isa::MachineShape& shape = host.machine();
    const Machine machine =
        room_for(problem, rule, lanes_of(shape), static_cast<std::uint32_t>(shape.local_bytes))
            .machine;
    Duration best = known;
    for_each_tiling(problem, rule, machine, [&](const Tiling& tiling) {
        if (const auto time = time_of(problem, rule, tiling, host, best)) best = *time;
    });
    return best;
}

/// Hands `count` machines to `check`, each with another problem: (number, problem, rule, host).
template <typename Check>
void for_random_machines(int count, unsigned seed, const Check& check) {
    RandomSource random(seed);
    const models::MachineParams reference = sim::load_machine("bm1684").params;
    for (int i = 0; i < count; ++i) {
        const models::MachineParams params = tests::with_random_rates(reference, random);
        const sim::pricing::KnownMemory known;
        sim::pricing::MachineHost host(params, {}, known);
        const Problem problem = random_problem(random, params.shape().global_start);
        check(i, problem, sum_rule(problem, Lanes{}), host);
    }
}

TEST_CASE("the chosen tile is within 3 percent of the best of all on 200 machines") {
    double worst = 1;
    for_random_machines(
        200, 42, [&](int i, const Problem& problem, const SumRule& rule, Host& host) {
            const Duration chosen = fastest_tiling(problem, rule, host).time;
            const Duration best = best_of_all(problem, rule, host, chosen);
            const double ratio =
                static_cast<double>(chosen.count()) / static_cast<double>(best.count());
            worst = std::max(worst, ratio);
            INFO(fmt::format(
                "machine {}: {} ps chosen, {} ps best, {} -> {} channels, {}x{}, {} taps", i,
                chosen.count(), best.count(), problem.input_channels, problem.output_channels,
                problem.y.output, problem.x.output, problem.y.taps));
            CHECK(ratio <= 1.03);
        });
    UNSCOPED_INFO("worst of all: " << worst);
    CHECK(worst >= 1);
}

TEST_CASE("a search below a time finds what one without finds, or nothing below it") {
    for_random_machines(60, 43, [](int, const Problem& problem, const SumRule& rule, Host& host) {
        const Duration best = fastest_tiling(problem, rule, host).time;
        // A limit one picosecond above the optimum suffices.
        const Duration above = best + Duration(1);
        CHECK(fastest_tiling(problem, rule, host, above).time == best);
        CHECK(fastest_tiling(problem, rule, host, best).time == best);
        const Duration half = best / 2;
        CHECK(fastest_tiling(problem, rule, host, half).time == half);
    });
    CHECK(left_of(Duration::max(), Duration(5)) == Duration::max());
    CHECK(left_of(Duration(7), Duration(5)) == Duration(2));
}

TEST_CASE("what a zero point may be at run time bounds the sums") {
    // int8 minus a zero point unknown at planning time reaches 255 (-128 - 127). 2^24 - 65535 for
    // sums allows 16711681 / (255 * 128) = 512 products. A known zero point of 0 allows 1020.
    Problem problem;
    problem.input.type = problem.weights.type = DType::kI8;
    problem.output.type = DType::kI32;
    const DeviceTensor somewhere{};
    problem.input_zero = {&somewhere, std::nullopt};
    CHECK(sum_rule(problem, Lanes{}).exact_terms == 512);
    problem.input_zero.value = 0;
    CHECK(sum_rule(problem, Lanes{}).exact_terms == 1020);
}

}  // namespace
}  // namespace okksim::kernels::conv
