// SPDX-License-Identifier: Apache-2.0
#include "kernels/prim/exact_sum.h"

#include <algorithm>
#include <cstdlib>

#include "kernels/prim/raw.h"
#include "kernels/prim/rescale.h"
#include "tests/kernels/prim/prim_test_values.h"
#include "tests/support/catch.h"
#include "tests/support/kernel_fixture.h"

namespace okksim::tests {
namespace {

using namespace kernels::prim;
using Sources = std::span<const LocalTensor>;

/// Passes of a sum: fp32 integers with 24 significant bits at several scales.
struct Passes {
    std::vector<Words> columns;
    std::vector<std::int64_t> sums;
};

Passes random_passes(int passes, int max_scale, std::uint64_t seed) {
    RandomSource random(seed);
    Passes result{std::vector<Words>(static_cast<std::size_t>(passes)), {}};
    for (int i = 0; i < 8000; ++i) {
        std::int64_t sum = 0;
        const bool extreme = random.one_in(4);
        const std::int64_t sign = random.one_in(2) ? 1 : -1;
        for (Words& column : result.columns) {
            std::int64_t value = random.between(-(1 << 24), 1 << 24);
            if (extreme) value = sign * ((1 << 24) - random.below(2));
            value *= std::int64_t{1} << (8 * random.below(max_scale / 8 + 1));
            column.push_back(as_bits(static_cast<float>(value)));
            sum += value;
        }
        result.sums.push_back(sum);
    }
    return result;
}

void accumulate(const ExactSum& sum, Sources sources, Scratch& scratch) {
    start_sum(sum, sources[0], scratch);
    for (const LocalTensor& pass : sources.subspan(1)) add_to_sum(sum, pass, scratch);
}

TEST_CASE("Sums of passes as int32", "[prim]") {
    const Passes passes = random_passes(9, 0, 61);
    const Applied applied = apply(
        [](auto& d, Sources s, auto& w) {
            Scratch::Frame frame(w);
            const ExactSum sum{frame.plane(d.shape), frame.plane(d.shape), std::nullopt};
            accumulate(sum, s, w);
            sum_to_int32(d, sum, w);
        },
        2 + kSumPlanes, passes.columns);
    CHECK(applied.commands == 3 + 8 * 5 + 12);
    for (std::size_t i = 0; i < passes.sums.size(); ++i) {
        REQUIRE(applied.words[i] == static_cast<std::uint32_t>(passes.sums[i]));
    }
}

TEST_CASE("Sums of passes as int48", "[prim]") {
    for (const bool with_top : {false, true}) {
        const Passes passes = random_passes(6, with_top ? 16 : 8, 62);
        for (const bool high_word : {false, true}) {
            const Applied applied = apply(
                [&](auto& d, Sources s, auto& w) {
                    Scratch::Frame frame(w);
                    ExactSum sum{frame.plane(d.shape), frame.plane(d.shape), std::nullopt};
                    if (with_top) sum.top = frame.plane(d.shape);
                    const LocalTensor other = frame.plane(d.shape);
                    accumulate(sum, s, w);
                    sum_to_int48({high_word ? other : d, high_word ? d : other}, sum, w);
                },
                4 + kSumToInt48Planes, passes.columns);
            CHECK(applied.commands == (with_top ? 6 + 5 * 9 + 21 : 3 + 5 * 5 + 22));
            for (std::size_t i = 0; i < passes.sums.size(); ++i) {
                const std::int64_t word = high_word ? passes.sums[i] >> 32 : passes.sums[i];
                CAPTURE(with_top, high_word, passes.sums[i]);
                REQUIRE(applied.words[i] == static_cast<std::uint32_t>(word));
            }
        }
    }
}

TEST_CASE("A sum of passes rescales without becoming words", "[prim]") {
    const Passes passes = random_passes(5, 0, 63);
    const ScaleFactor factors[] = {{1234567891, 48}};
    const Rescale plan(ValueForm::kInt32, factors, ScaleRounding::kSingle, {-128, 127, 3},
                       kernels::Lanes{});
    const Applied applied = apply(
        [&](auto& d, Sources s, auto& w) {
            Scratch::Frame frame(w);
            const ExactSum sum{frame.plane(d.shape), frame.plane(d.shape), std::nullopt};
            accumulate(sum, s, w);
            plan.run(d, sum, {}, w);
        },
        2 + plan.planes(), passes.columns);
    for (std::size_t i = 0; i < passes.sums.size(); ++i) {
        const Int128 scaled = (Int128{passes.sums[i]} * 1234567891 + (Int128{1} << 47)) >> 48;
        const auto expected =
            std::clamp<std::int64_t>(static_cast<std::int64_t>(scaled) + 3, -128, 127);
        REQUIRE(as_float(applied.words[i]) == static_cast<float>(expected));
    }
}

TEST_CASE("Splitting a float at a power of two", "[prim]") {
    Words values;
    for (int v = -32768; v < 32768; ++v) values.push_back(as_bits(static_cast<float>(v)));
    const Words columns[] = {values};
    const Applied high = apply(
        [](auto& d, Sources s, auto& w) {
            Scratch::Frame frame(w);
            split_float(d, frame.plane(d.shape), s[0], 8);
        },
        1, columns);
    const Applied low = apply(
        [](auto& d, Sources s, auto& w) {
            Scratch::Frame frame(w);
            split_float(frame.plane(d.shape), d, s[0], 8);
        },
        1, columns);
    for (std::size_t i = 0; i < values.size(); ++i) {
        const auto upper = static_cast<int>(as_float(high.words[i]));
        const auto lower = static_cast<int>(as_float(low.words[i]));
        REQUIRE(upper % 256 == 0);
        REQUIRE(std::abs(lower) <= 128);
        REQUIRE(upper + lower == static_cast<int>(i) - 32768);
    }
}

}  // namespace
}  // namespace okksim::tests
