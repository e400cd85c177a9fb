// SPDX-License-Identifier: Apache-2.0
#include "kernels/prim/rescale.h"

#include <algorithm>
#include <cmath>

#include "kernels/prim/raw.h"
#include "tests/kernels/prim/prim_test_values.h"
#include "tests/support/catch.h"
#include "tests/support/kernel_fixture.h"

namespace okksim::tests {
namespace {

using namespace kernels::prim;
using Sources = std::span<const LocalTensor>;

/// apply_scale_32 and apply_scale_16 (TOSA 1.0.1, 4.5.5) in 128 bits, before zero point and clamp.
std::int64_t reference(std::int64_t value, const ScaleFactor& factor, bool double_round) {
    Int128 round = Int128{1} << (factor.shift - 1);
    if (double_round && factor.shift > 31) {
        round += value >= 0 ? (Int128{1} << 30) : -(Int128{1} << 30);
    }
    return static_cast<std::int64_t>((Int128{value} * factor.multiplier + round) >> factor.shift);
}

struct Form {
    ValueForm form;
    std::int64_t limit;  ///< largest magnitude
};

std::int64_t random_value(RandomSource& random, std::int64_t limit) {
    const std::int64_t width = random.between(0, 48);
    const std::int64_t bound = std::min(limit, std::int64_t{1} << width);
    return random.between(-bound, bound - 1);
}

/// A value whose scaled result is next to a rounding tie within the unclamped range.
std::int64_t near_tie(RandomSource& random, const ScaleFactor& factor, std::int64_t limit,
                      std::int64_t range) {
    if (factor.multiplier == 0) return 0;
    const double tie = static_cast<double>(random.between(-range, range)) + 0.5;
    const double value = std::ldexp(tie, factor.shift) / factor.multiplier;
    if (!(std::abs(value) < static_cast<double>(limit) - 2)) return random_value(random, limit);
    return static_cast<std::int64_t>(std::llround(value)) + random.between(-1, 1);
}

ScaleFactor random_factor(RandomSource& random, ValueForm form) {
    if (form == ValueForm::kInt48) {
        return {static_cast<std::int32_t>(random.below(1 << random.between(1, 15))),
                static_cast<int>(random.between(2, 62))};
    }
    ScaleFactor factor{static_cast<std::int32_t>(random.between(1 << 30, INT32_MAX)),
                       static_cast<int>(random.between(2, 62))};
    if (random.one_in(3)) {
        factor.multiplier =
            static_cast<std::int32_t>(random.below(std::int64_t{1} << random.between(1, 31)));
    }
    if (random.one_in(8)) factor.multiplier = 1 << random.between(0, 30);
    return factor;
}

/// True if the specification allows the value for the factor: apply_scale_32 requires |value| <
/// 2^(shift-1), and the result must fit int32.
bool is_legal(std::int64_t value, const ScaleFactor& factor, const Form& form, bool double_round) {
    const bool is_wide = form.form == ValueForm::kInt48;
    if (std::abs(value) > form.limit || (value == form.limit && form.limit >= (1ll << 31))) {
        return false;
    }
    const std::int64_t bound = std::int64_t{1} << (factor.shift - 1);
    if (!is_wide && !(value >= -bound && value < bound)) return false;
    const std::int64_t result = reference(value, factor, double_round);
    return result >= INT32_MIN && result <= INT32_MAX;
}

Words column(ValueForm form, const std::vector<std::int64_t>& values, bool high) {
    Words words;
    for (const std::int64_t value : values) {
        if (form == ValueForm::kInt32) {
            words.push_back(static_cast<std::uint32_t>(value));
        } else if (form == ValueForm::kInt48) {
            words.push_back(static_cast<std::uint32_t>(high ? value >> 32 : value));
        } else {
            words.push_back(as_bits(static_cast<float>(value)));
        }
    }
    return words;
}

std::vector<std::int64_t> legal_values(RandomSource& random, const Form& form,
                                       const ScaleFactor& factor, bool double_round,
                                       std::int64_t range, std::size_t count) {
    std::vector<std::int64_t> values;
    for (std::int64_t v : {0ll, 1ll, -1ll, 127ll, -128ll, 255ll, -255ll, 256ll, -256ll, 65535ll,
                           -65535ll, 65536ll, -65536ll, (1ll << 24) - 1, -(1ll << 24),
                           (1ll << 31) - 1, -(1ll << 31), (1ll << 47) - 1, -(1ll << 47)}) {
        values.push_back(v);
    }
    for (int bit = 2; bit < 48; ++bit) {
        values.push_back((1ll << bit) - 1);
        values.push_back(-(1ll << bit) - 1);
    }
    while (values.size() < count) {
        values.push_back(random.one_in(2) ? near_tie(random, factor, form.limit, range)
                                          : random_value(random, form.limit));
    }
    std::erase_if(values, [&](std::int64_t v) { return !is_legal(v, factor, form, double_round); });
    return values;
}

Applied run(const Rescale& plan, const Form& form, const std::vector<std::int64_t>& values) {
    const Words columns[] = {column(form.form, values, false), column(form.form, values, true)};
    return apply(
        [&](const LocalTensor& dst, Sources sources, Scratch& scratch) {
            if (form.form == ValueForm::kInt48) {
                plan.run(dst, WideTensor{sources[0], sources[1]}, {}, scratch);
            } else {
                plan.run(dst, sources[0], {}, scratch);
            }
        },
        plan.planes(), columns);
}

std::int64_t output_value(const ScaleOutput& output, std::uint32_t word) {
    return output.is_int32() ? static_cast<std::int32_t>(word)
                             : static_cast<std::int64_t>(as_float(word));
}

const Form kForms[] = {{ValueForm::kFloat8, 1 << 8},
                       {ValueForm::kFloat16, 1 << 16},
                       {ValueForm::kFloat24, 1 << 24},
                       {ValueForm::kInt32, 1ll << 31},
                       {ValueForm::kInt48, 1ll << 47}};
const ScaleOutput kOutputs[] = {{-128, 127, 0},     {-128, 127, -77},  {0, 255, 200},
                                {-32768, 32767, 0}, {0, 65535, 32768}, kInt32Output};

TEST_CASE("Rescale is exact for every form, output and rounding", "[prim]") {
    RandomSource random(11);
    for (const Form& form : kForms) {
        for (const ScaleOutput& output : kOutputs) {
            for (int round = 0; round < 60; ++round) {
                const bool is_double = form.form != ValueForm::kInt48 && random.one_in(2);
                const ScaleFactor factor = random_factor(random, form.form);
                const std::int64_t range =
                    output.is_int32() ? (1ll << random.between(1, 31)) : output.high - output.low;
                const auto values = legal_values(random, form, factor, is_double, range, 400);
                if (values.empty()) continue;
                const ScaleFactor factors[] = {factor};
                const Rescale plan(form.form, factors,
                                   is_double ? ScaleRounding::kDouble : ScaleRounding::kSingle,
                                   output, kernels::Lanes{});
                const Applied applied = run(plan, form, values);
                for (std::size_t i = 0; i < values.size(); ++i) {
                    const std::int64_t scaled =
                        reference(values[i], factor, is_double) + output.zero_point;
                    const std::int64_t expected =
                        std::clamp<std::int64_t>(scaled, output.low, output.high);
                    const std::int64_t actual = output_value(output, applied.words[i]);
                    if (actual != expected) {
                        CAPTURE(static_cast<int>(form.form), values[i], factor.multiplier,
                                factor.shift, is_double, actual, expected, output.low, output.high);
                        FAIL("wrong result");
                    }
                }
            }
        }
    }
}

TEST_CASE("The usual rescale of an accumulator to int8 takes 20 commands", "[prim]") {
    const ScaleFactor factors[] = {{1518500250, 40}};
    const Rescale plan(ValueForm::kFloat24, factors, ScaleRounding::kSingle, kInt8Output,
                       kernels::Lanes{});
    const Applied applied = run(plan, kForms[2], {1, 2, 3});
    // 3 to split the value, 3 for estimate and clamp, 3 for the candidate. Then 2 x 3 products with
    // the candidate and its half, and 3 to decide.
    CHECK(applied.commands == 20);
}

TEST_CASE("Inexact rescale stays within the bound", "[prim]") {
    RandomSource random(12);
    for (const Form& form : kForms) {
        for (const ScaleOutput& output : kOutputs) {
            const ScaleFactor factor = random_factor(random, form.form);
            const auto values = legal_values(random, form, factor, false,
                                             std::int64_t{output.high} - output.low, 400);
            if (values.empty()) continue;
            const ScaleFactor factors[] = {factor};
            const Rescale plan(form.form, factors, ScaleRounding::kInexact, output,
                               kernels::Lanes{});
            const Applied applied = run(plan, form, values);
            for (std::size_t i = 0; i < values.size(); ++i) {
                // TOSA 1.0.1, 2.13.2, with fp64 replaced by 64 fraction bits.
                const long double exact = std::ldexp(
                    static_cast<long double>(values[i]) * factor.multiplier, -factor.shift);
                const long double bound =
                    0.5L + (3 * std::abs(exact) + std::abs(exact + output.zero_point)) *
                               std::ldexp(1.0L, -24);
                const auto clip = [&](long double v) {
                    return std::clamp<long double>(v, output.low, output.high);
                };
                const long double lowest = clip(std::ceil(exact - bound + output.zero_point));
                const long double highest = clip(std::floor(exact + bound + output.zero_point));
                const auto actual =
                    static_cast<long double>(output_value(output, applied.words[i]));
                CAPTURE(static_cast<int>(form.form), values[i], factor.multiplier, factor.shift);
                REQUIRE(actual >= lowest);
                REQUIRE(actual <= highest);
            }
        }
    }
}

TEST_CASE("Per-channel factors", "[prim]") {
    RandomSource random(13);
    KernelMachine machine(4);
    constexpr int kChannels = 10;
    const dim4 shape{1, kChannels, 1, 100};
    for (const ScaleOutput& output : kOutputs) {
        for (const Form& form : kForms) {
            if (form.form == ValueForm::kInt48) continue;
            std::vector<ScaleFactor> factors;
            std::vector<std::int64_t> values;
            for (int c = 0; c < kChannels; ++c) {
                factors.push_back(random_factor(random, form.form));
                auto row = legal_values(random, form, factors.back(), true, 200, 400);
                row.resize(100);
                values.insert(values.end(), row.begin(), row.end());
            }
            const Rescale plan(form.form, factors, ScaleRounding::kDouble, output,
                               kernels::Lanes{});
            const auto constants = plan.constants();
            REQUIRE(constants.size() == static_cast<std::size_t>(plan.constant_rows()) * kChannels);
            std::vector<LocalTensor> rows;
            for (int r = 0; r < plan.constant_rows(); ++r) {
                // Compact [1, C, 1, 1]: 3 slots of one word on 4 lanes.
                const LocalTensor row{
                    static_cast<local_addr_t>(16 * r), {1, kChannels, 1, 1}, dim4{3, 1, 1, 1}};
                Words words;
                for (int c = 0; c < kChannels; ++c) {
                    words.push_back(
                        as_bits(constants[static_cast<std::size_t>(r * kChannels + c)]));
                }
                machine.store(row, words);
                rows.push_back(channel_vector(row.address, shape));
            }
            const std::uint32_t bytes = plane_bytes(shape, {4, 32});
            const LocalTensor value{1024, shape, std::nullopt};
            machine.store(value, column(form.form, values, false));
            machine.run([&] {
                okk_initialize();
                Scratch scratch(1024 + bytes, bytes * static_cast<std::uint32_t>(plan.planes()),
                                {4, 32});
                plan.run(value, value, rows, scratch);
                okk_poll();
            });
            const Words results = machine.load(value);
            for (std::size_t i = 0; i < values.size(); ++i) {
                const std::int64_t scaled =
                    reference(values[i], factors[i / 100], true) + output.zero_point;
                const std::int64_t expected =
                    std::clamp<std::int64_t>(scaled, output.low, output.high);
                CAPTURE(i, values[i], factors[i / 100].multiplier, factors[i / 100].shift);
                REQUIRE(output_value(output, results[i]) == expected);
            }
        }
    }
}

TEST_CASE("Reciprocal scale", "[prim]") {
    // TOSA 1.0.1, 4.5.5: value 3 has k = 2, (2^30 + 1) * 4 / 3 = 1431655766.7.
    CHECK(reciprocal_scale(3).multiplier == 1431655766);
    CHECK(reciprocal_scale(3).shift == 32);
    CHECK(reciprocal_scale(1).multiplier == (1 << 30) + 1);
    CHECK(reciprocal_scale(1).shift == 30);
    CHECK(reciprocal_scale(4).multiplier == (1 << 30) + 1);
    CHECK(reciprocal_scale(4).shift == 32);
}

}  // namespace
}  // namespace okksim::tests
