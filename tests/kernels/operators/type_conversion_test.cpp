// SPDX-License-Identifier: Apache-2.0
// Section 2.13, CAST and RESCALE, against the specification's pseudo-code.
#include <cmath>

#include "tests/kernels/operators/float_values.h"
#include "tests/kernels/operators/pointwise_case.h"

namespace okksim::tests {
namespace {

using tosa::DType;
using tosa::NoAttributes;
using tosa::OpCode;
using tosa::RoundingMode;

struct Pair {
    DType in;
    DType out;
};

/// The table of supported data types.
constexpr Pair kCasts[] = {
    {DType::kFp16, DType::kFp32},    {DType::kFp16, DType::kI16},
    {DType::kFp16, DType::kI32},     {DType::kFp16, DType::kI8},
    {DType::kFp32, DType::kFp16},    {DType::kFp32, DType::kI16},
    {DType::kFp32, DType::kI32},     {DType::kFp32, DType::kI8},
    {DType::kI16, DType::kFp16},     {DType::kI16, DType::kFp32},
    {DType::kI32, DType::kFp16},     {DType::kI32, DType::kFp32},
    {DType::kI8, DType::kFp16},      {DType::kI8, DType::kFp32},
    {DType::kBool, DType::kI16},     {DType::kBool, DType::kI32},
    {DType::kBool, DType::kI8},      {DType::kI16, DType::kBool},
    {DType::kI16, DType::kI32},      {DType::kI16, DType::kI8},
    {DType::kI32, DType::kBool},     {DType::kI32, DType::kI16},
    {DType::kI32, DType::kI8},       {DType::kI8, DType::kBool},
    {DType::kI8, DType::kI16},       {DType::kI8, DType::kI32},
    {DType::kBf16, DType::kFp32},    {DType::kBf16, DType::kI16},
    {DType::kBf16, DType::kI32},     {DType::kBf16, DType::kI8},
    {DType::kFp32, DType::kBf16},    {DType::kI16, DType::kBf16},
    {DType::kI32, DType::kBf16},     {DType::kI8, DType::kBf16},
    {DType::kBf16, DType::kFp8E4M3}, {DType::kFp8E4M3, DType::kBf16},
    {DType::kBf16, DType::kFp8E5M2}, {DType::kFp8E5M2, DType::kBf16},
    {DType::kFp16, DType::kFp8E4M3}, {DType::kFp32, DType::kFp8E4M3},
    {DType::kFp8E4M3, DType::kFp16}, {DType::kFp8E4M3, DType::kFp32},
    {DType::kFp16, DType::kFp8E5M2}, {DType::kFp32, DType::kFp8E5M2},
    {DType::kFp8E5M2, DType::kFp16}, {DType::kFp8E5M2, DType::kFp32},
};

std::int64_t draw(DType type, RandomSource& random) {
    if (tosa::is_floating_point(type)) return random_float_bits(type, random);
    return type == DType::kBool ? random.below(2) : random_integer(type, random);
}

double value_of(DType type, std::int64_t bits) {
    if (tosa::is_floating_point(type)) return decode_float(type, bits);
    return static_cast<double>(type == DType::kBool ? bits : sign_extended(type, bits));
}

/// True if CAST may give this result for `in`, an exact number.
bool cast_allowed(const Pair& types, double in, std::int64_t got_bits) {
    const double got = value_of(types.out, got_bits);
    if (tosa::is_floating_point(types.out)) {
        const double expected = round_float(types.out, in);
        if (std::isnan(expected)) return std::isnan(got);
        return got == expected || (may_flush(types.out, expected) && got == 0) ||
               (tosa::is_floating_point(types.in) && may_flush(types.in, in) && got == 0);
    }
    if (types.out == DType::kBool) return got == (in != 0 ? 1 : 0);
    if (tosa::is_floating_point(types.in)) {
        const int bits = 8 * kernels::stored_bytes(types.out);
        const double most = std::ldexp(1.0, bits - 1);
        return got == std::min(std::max(std::nearbyint(in), -most), most - 1);
    }
    return got == value_of(types.out, static_cast<std::int64_t>(in));
}

}  // namespace

TEST_CASE("casts between all types") {
    RandomSource random(1);
    for (const Pair& types : kCasts) {
        for (int round = 0; round < 6; ++round) {
            const RandomOperand operand{types.in, [&](RandomSource& source) {
                                            for (;;) {
                                                const std::int64_t bits = draw(types.in, source);
                                                // NaN has no integer (require_test).
                                                const bool has_result =
                                                    tosa::is_floating_point(types.out) ||
                                                    types.out == DType::kBool ||
                                                    !std::isnan(value_of(types.in, bits));
                                                if (has_result) return bits;
                                            }
                                        }};
            const auto run =
                run_random(OpCode::kCast, NoAttributes{}, {operand}, types.out, random);
            std::size_t wrong = 0;
            double first[2]{};
            for (std::size_t i = 0; i < run.output.size(); ++i) {
                const double in = value_of(types.in, run.operands[0][i]);
                if (cast_allowed(types, in, run.output[i]) || wrong++ > 0) continue;
                first[0] = in;
                first[1] = value_of(types.out, run.output[i]);
            }
            INFO(tosa::dtype_name(types.in) << " to " << tosa::dtype_name(types.out) << ": "
                                            << first[0] << " gave " << first[1]);
            CHECK(wrong == 0);
        }
    }
}

namespace {

struct Factor {
    std::int64_t multiplier;
    std::int64_t shift;
};

/// One RESCALE with all its parameters.
struct RescaleCase {
    DType in;
    DType out;
    tosa::RescaleAttributes attributes;
    std::int64_t input_zp = 0;
    std::int64_t output_zp = 0;
    std::vector<Factor> factors;
};

int width(DType type) { return type == DType::kI48 ? 48 : 8 * kernels::stored_bytes(type); }

std::int64_t lowest(DType type, bool is_unsigned) {
    return is_unsigned ? 0 : -(std::int64_t{1} << (width(type) - 1));
}
std::int64_t highest(DType type, bool is_unsigned) {
    return lowest(type, is_unsigned) + (std::int64_t{1} << width(type)) - 1;
}

/// A zero point that the specification permits.
std::int64_t random_zero_point(DType type, bool is_unsigned, RandomSource& random) {
    if (type == DType::kI8) {
        return random.between(lowest(type, is_unsigned), highest(type, is_unsigned));
    }
    return type == DType::kI16 && is_unsigned ? random.pick({0, 32768}) : 0;
}

/// Factors that keep every REQUIRE of the scaling helpers for values below 2^bits.
Factor random_factor(const RescaleCase& each, int bits, RandomSource& random) {
    if (each.attributes.scale32) {
        return {random.one_in(8) ? random.pick({0, 1, INT32_MAX})
                                 : static_cast<std::int64_t>(random.bits() & INT32_MAX),
                random.between(std::max(2, bits + 1), 62)};
    }
    // |value| * 2^15 / 2^shift must fit int32.
    return {random.one_in(8) ? random.pick({0, 1, INT16_MAX})
                             : static_cast<std::int64_t>(random.bits() & INT16_MAX),
            random.between(std::max(2, bits + 15 - 31), 62)};
}

RescaleCase random_case(RandomSource& random) {
    static constexpr DType kIns[] = {DType::kI8, DType::kI16, DType::kI32, DType::kI48};
    static constexpr DType kOuts[] = {DType::kI8, DType::kI16, DType::kI32};
    RescaleCase each;
    each.in = random.element(kIns);
    each.out = random.element(kOuts);
    tosa::RescaleAttributes& attributes = each.attributes;
    attributes.scale32 = each.in != DType::kI48 && random.one_in(2);
    attributes.rounding_mode = RoundingMode::kSingleRound;
    if (random.one_in(3)) attributes.rounding_mode = RoundingMode::kInexactRound;
    if (attributes.scale32 && random.one_in(2)) {
        attributes.rounding_mode = RoundingMode::kDoubleRound;
    }
    attributes.input_unsigned = width(each.in) <= 16 && each.out != DType::kI32 && random.one_in(3);
    attributes.output_unsigned = width(each.in) <= 16 && width(each.out) <= 16 &&
                                 !attributes.input_unsigned && random.one_in(3);
    attributes.per_channel = random.one_in(2);
    each.input_zp = random_zero_point(each.in, attributes.input_unsigned, random);
    each.output_zp = random_zero_point(each.out, attributes.output_unsigned, random);
    return each;
}

/// The specification's result, without rounding mode INEXACT_ROUND.
std::int64_t rescaled(const RescaleCase& each, std::int64_t value, const Factor& factor) {
    std::int64_t round = std::int64_t{1} << (factor.shift - 1);
    if (each.attributes.rounding_mode == RoundingMode::kDoubleRound && factor.shift > 31) {
        round += value >= 0 ? std::int64_t{1} << 30 : -(std::int64_t{1} << 30);
    }
    const std::int64_t result = ((value * factor.multiplier + round) >> factor.shift);
    const bool is_unsigned = each.attributes.output_unsigned;
    return std::clamp(result + each.output_zp, lowest(each.out, is_unsigned),
                      highest(each.out, is_unsigned));
}

/// The specification's bounds for INEXACT_ROUND.
bool inexact_allowed(const RescaleCase& each, std::int64_t value, const Factor& factor,
                     std::int64_t got) {
    const double exact =
        std::ldexp(static_cast<double>(value) * static_cast<double>(factor.multiplier),
                   -static_cast<int>(factor.shift));
    const auto zero_point = static_cast<double>(each.output_zp);
    const double bound =
        0.5 + (3 * std::abs(exact) + std::abs(exact + zero_point)) * std::ldexp(1.0, -24);
    const bool is_unsigned = each.attributes.output_unsigned;
    const auto low = static_cast<double>(lowest(each.out, is_unsigned));
    const auto high = static_cast<double>(highest(each.out, is_unsigned));
    const double least = std::clamp(std::ceil(exact - bound + zero_point), low, high);
    const double most = std::clamp(std::floor(exact + bound + zero_point), low, high);
    return static_cast<double>(got) >= least && static_cast<double>(got) <= most;
}

std::int64_t read_as(DType type, bool is_unsigned, std::int64_t bits) {
    return is_unsigned ? bits & ((std::int64_t{1} << width(type)) - 1) : sign_extended(type, bits);
}

std::string describe(const RescaleCase& each) {
    const auto& a = each.attributes;
    return std::string(tosa::dtype_name(each.in)) + " to " +
           std::string(tosa::dtype_name(each.out)) + (a.scale32 ? " scale32" : " scale16") +
           " rounding " + std::to_string(static_cast<int>(a.rounding_mode)) +
           (a.per_channel ? " per channel" : "") + (a.input_unsigned ? " from unsigned" : "") +
           (a.output_unsigned ? " to unsigned" : "");
}

}  // namespace

TEST_CASE("rescale with every combination of types and modes") {
    RandomSource random(2);
    for (int round = 0; round < 400; ++round) {
        RescaleCase each = random_case(random);
        // 32- and 48-bit values of fewer bits leave more shifts to choose from.
        const int bits = random.one_in(2) ? std::min(width(each.in), 17) : width(each.in);
        const RandomOperand operand{each.in, [&](RandomSource& source) {
                                        return sign_extended(
                                                   DType::kI48 == each.in ? DType::kI48 : each.in,
                                                   random_integer(each.in, source)) >>
                                               (width(each.in) - bits);
                                    }};
        std::size_t channels = 1;
        const auto constants = [&](const Dims& dims) {
            if (dims.empty()) each.attributes.per_channel = false;
            channels = each.attributes.per_channel ? static_cast<std::size_t>(dims.back()) : 1;
            Values multipliers, shifts;
            for (std::size_t c = 0; c < channels; ++c) {
                each.factors.push_back(random_factor(each, bits, random));
                multipliers.push_back(each.factors.back().multiplier);
                shifts.push_back(each.factors.back().shift);
            }
            return std::vector<ConstantOperand>{
                {each.attributes.scale32 ? DType::kI32 : DType::kI16, multipliers},
                {DType::kI8, shifts},
                {each.in, {each.input_zp}},
                {each.out, {each.output_zp}}};
        };
        const auto run =
            run_random(OpCode::kRescale, each.attributes, {operand}, each.out, random, constants);
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < run.output.size(); ++i) {
            const Factor& factor = each.factors[i % channels];
            const std::int64_t value =
                read_as(each.in, each.attributes.input_unsigned, run.operands[0][i]) -
                each.input_zp;
            const std::int64_t got =
                read_as(each.out, each.attributes.output_unsigned, run.output[i]);
            const bool right = each.attributes.rounding_mode == RoundingMode::kInexactRound
                                   ? inexact_allowed(each, value, factor, got)
                                   : got == rescaled(each, value, factor);
            if (!right) ++wrong;
        }
        INFO(describe(each) << " round " << round);
        CHECK(wrong == 0);
    }
}

TEST_CASE("rescale reports values too large for their shift") {
    // Shift 10 takes -512 .. 511; shift 9 takes every int8 less its zero point.
    const auto faults = [](DType in, const Values& input, std::int64_t shift, std::int64_t zp) {
        KernelMachine machine(8, 32768);
        OperatorRun runner(machine);
        std::vector<kernels::DeviceTensor> inputs{
            runner.tensor(in, {static_cast<std::int32_t>(input.size())}),
            runner.tensor(DType::kI32, {1}), runner.tensor(DType::kI8, {1}), runner.tensor(in, {1}),
            runner.tensor(DType::kI16, {1})};
        const Values values[] = {input, {1 << 9}, {shift}, {zp}, {0}};
        for (std::size_t i = 0; i < inputs.size(); ++i) runner.write(inputs[i], values[i]);
        tosa::RescaleAttributes attributes;
        attributes.scale32 = true;
        attributes.rounding_mode = RoundingMode::kSingleRound;
        const auto output = runner.tensor(DType::kI16, {static_cast<std::int32_t>(input.size())});
        try {
            runner.run(OpCode::kRescale, attributes, inputs, {output});
        } catch (const std::runtime_error&) {
            return true;
        }
        return false;
    };
    for (const DType in : {DType::kI16, DType::kI32}) {
        CHECK(!faults(in, {-512, 0, 511}, 10, 0));
        CHECK(faults(in, {-513, 0, 511}, 10, 0));
        CHECK(faults(in, {-512, 0, 512}, 10, 0));
    }
    CHECK(!faults(DType::kI32, {INT32_MIN, INT32_MAX}, 32, 0));
    CHECK(faults(DType::kI32, {0, INT32_MAX}, 31, 0));
    CHECK(!faults(DType::kI8, {-128, 127}, 9, 127));
    CHECK(faults(DType::kI8, {-128, 127}, 8, 127));
}

}  // namespace okksim::tests
