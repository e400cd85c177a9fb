// SPDX-License-Identifier: Apache-2.0
// Tables, limits and error bounds of the special functions, and the rules of NaN, zero and
// denormals.
#include <hwy/targets.h>

#include <bit>
#include <cmath>
#include <vector>

#include "isa/base/errors.h"
#include "isa/layout.h"
#include "models/bdc/bdc_semantics.h"
#include "models/bdc/vector/special_tables.h"
#include "tests/support/catch.h"
#include "tests/support/random_source.h"
#include "tests/support/small_machine.h"

namespace okksim::models {
namespace {

using isa::Opcode;
using Words = std::vector<std::uint32_t>;

constexpr std::uint32_t kNan = 0x7FC00000;
constexpr std::uint32_t kInfinity = 0x7F800000;
constexpr std::uint32_t kMinus = 0x80000000;
constexpr std::uint32_t kDenormal = 0x00400000;
constexpr std::uint32_t kNegativeNan = 0xFFC12345;

std::uint32_t word(float value) { return std::bit_cast<std::uint32_t>(value); }
float number(std::uint32_t bits) { return std::bit_cast<float>(bits); }

/// Runs one command on rows of words in a single lane: sources at 4 KiB and 8 KiB, result at 0.
class Unit {
 public:
    template <typename Form>
    Words run(Opcode opcode, Form form, const Words& a, const Words& b = {}) {
        std::copy(a.begin(), a.end(), memory_.words(0, 4096));
        std::copy(b.begin(), b.end(), memory_.words(0, 8192));
        form.shape = {1, 1, 1, static_cast<std::int32_t>(a.size())};
        form.dst_addr = {0};
        form.dst_stride = isa::aligned_stride(0, form.shape, 32, 1, 128);
        if constexpr (requires { form.src0_addr; }) {
            form.src0_addr = {4096};
            form.src1_addr = {8192};
            form.src0_stride = form.src1_stride = form.dst_stride;
        } else {
            form.src_addr = {4096};
            form.src_stride = form.dst_stride;
        }
        execute_bdc(isa::Command::make(opcode, form), memory_, pool_);
        return {memory_.words(0, 0), memory_.words(0, 0) + a.size()};
    }
    Words unary(Opcode opcode, const Words& a) { return run(opcode, isa::VectorUnary{}, a); }
    Words binary(Opcode opcode, const Words& a, const Words& b) {
        return run(opcode, isa::VectorBinary{}, a, b);
    }

 private:
    LocalMemory memory_{tests::small_machine(1, 65536)};
    LanePool pool_;
};

/// Calls `body` with each vector instruction set that the host and the build support.
template <typename Body>
void on_every_target(const Body& body) {
    for (const std::uint32_t target : hwy::SupportedAndGeneratedTargets()) {
        hwy::SetSupportedTargetsForTest(target);
        INFO(hwy::TargetName(target));
        body();
    }
    hwy::SetSupportedTargetsForTest(0);
}

}  // namespace

TEST_CASE("tables hold the nearest floats") {
    for (int k = -128; k < 128; ++k) {
        const bool inside = k >= -103 && k <= 88;
        const float nearest = static_cast<float>(std::exp(static_cast<long double>(k)));
        CHECK(kExpTable[static_cast<std::uint8_t>(k)] == (inside ? word(nearest) : 0));
    }
}

TEST_CASE("coefficients of series are a chain of rounded quotients") {
    // By hand: c[10] = 0x3493F27E = 9695870 * 2^-45 is the float next to 1/10!. c[10] / 11 =
    // 881442.727 * 2^-45 = 14103083.64 * 2^-49, rounded 14103084 = 0xD7322C. The float next to
    // 1/11! is 0xD7322B: 2^49 / 39916800 = 14103083.25, rounded 14103083.
    CHECK(kInverseFactorials[10] == 0x3493F27E);
    CHECK(kInverseFactorials[11] == 0x32D7322C);
    // Each c[j] is the float next to c[j - 1] / j. Then c[j] * j differs from c[j - 1] by at most j
    // half units in the last place. Doubles hold these products exactly.
    for (int j = 1; j <= 33; ++j) {
        const double c = number(kInverseFactorials[static_cast<std::size_t>(j)]);
        const double last = number(kInverseFactorials[static_cast<std::size_t>(j - 1)]);
        const double ulp = std::ldexp(1.0, std::ilogb(c) - 23);
        CHECK(std::fabs(c * j - last) <= j * ulp / 2);
    }
    CHECK(number(kInverseFactorials[0]) == 1);
    // c[32] / 33 is normal, and c[33] / 34 is below 2^-126.
    CHECK((kInverseFactorials[33] & 0x7F800000) != 0);
    CHECK((kInverseFactorials[34] & 0x7F800000) == 0);
}

TEST_CASE("lookups take the low eight bits of the index") {
    Unit unit;
    const Words index{0,
                      88,
                      89,
                      128,
                      153,
                      256,
                      0x7FFFFFFF,
                      static_cast<std::uint32_t>(-103),
                      static_cast<std::uint32_t>(-104)};
    on_every_target([&] {
        // e^0, e^88, outside, -128 outside, 153 - 256 = -103, 256 = 0, -1, -103, outside.
        const Words exps = unit.unary(Opcode::bdc_lookup_exp, index);
        CHECK(exps == Words{word(1.0F), kExpTable[88], 0, 0, 1, word(1.0F), kExpTable[255], 1, 0});
        const Words floats = unit.unary(Opcode::bdc_lookup_int32_to_fp32, index);
        CHECK(floats == Words{0, word(88), word(89), word(-128), word(-103), 0, word(-1),
                              word(-103), word(-104)});
    });
}

TEST_CASE("roots keep their limits, reciprocals the result of their steps") {
    Unit unit;
    const Words x{
        0,           kMinus, kDenormal,    kMinus | kDenormal, kInfinity, kMinus | kInfinity,
        word(-1.0F), kNan,   kNegativeNan, 0x7F800001};
    on_every_target([&] {
        CHECK(unit.unary(Opcode::bdc_rsqrt, x) == Words{kInfinity, kMinus | kInfinity, kInfinity,
                                                        kMinus | kInfinity, 0, kNan, kNan, kNan,
                                                        kNan, kNan});
        CHECK(unit.unary(Opcode::bdc_sqrt, x) ==
              Words{0, kMinus, 0, kMinus, kInfinity, kNan, kNan, kNan, kNan, kNan});
        CHECK(unit.unary(Opcode::bdc_reciprocal, x) ==
              Words{kInfinity, kMinus | kInfinity, kInfinity, kMinus | kInfinity, kInfinity,
                    kMinus | kInfinity, 0xBF7FFFFE, kNan, kNan, kNan});
        // SEMANTICS: recip(1) and recip(2).
        CHECK(unit.unary(Opcode::bdc_reciprocal, {word(1.0F), word(2.0F)}) ==
              Words{0x3F7FFFFE, 0x3F000001});
        // 1/0 = inf, 0/0 = NaN, x/inf = inf by the steps.
        CHECK(unit.binary(Opcode::bdc_div, {word(1.0F), 0, word(2.0F)}, {0, 0, kInfinity}) ==
              Words{kInfinity, kNan, kInfinity});
    });
}

TEST_CASE("approximations stay within their error bounds") {
    Unit unit;
    tests::RandomSource random(11);
    for (int round = 0; round < 20; ++round) {
        Words x(512);
        for (std::uint32_t& value : x) {
            // Exponents 67..187: magnitudes 2^-60..2^60.
            value = static_cast<std::uint32_t>(random.between(67, 186)) << 23 |
                    static_cast<std::uint32_t>(random.below(1 << 23));
        }
        const auto worst = [&](Opcode opcode, const auto& exact) {
            const Words results = unit.unary(opcode, x);
            double error = 0;
            for (std::size_t i = 0; i < x.size(); ++i) {
                const double truth = exact(static_cast<double>(number(x[i])));
                const double ulp = std::ldexp(1.0, std::ilogb(truth) - 23);
                error = std::max(error, std::fabs(number(results[i]) - truth) / ulp);
            }
            return error;
        };
        CHECK(worst(Opcode::bdc_reciprocal, [](double v) { return 1 / v; }) <= 4.6);
        CHECK(worst(Opcode::bdc_rsqrt, [](double v) { return 1 / std::sqrt(v); }) <= 2.2);
        CHECK(worst(Opcode::bdc_sqrt, [](double v) { return std::sqrt(v); }) <= 6.1);
    }
}

TEST_CASE("series equal Horner's rule step by step") {
    Unit unit;
    tests::RandomSource random(5);
    // A block of eight vectors, single vectors and a remainder.
    Words x(16 * 8 + 16 + 3);
    for (std::uint32_t& value : x) {
        value = word(static_cast<float>(random.between(-4096, 4096)) / 4096);
    }
    for (const std::int32_t terms : {1, 2, 3, 8, 32, 33}) {
        Words whole;
        Words tail;
        for (const std::uint32_t bits : x) {
            // All values here are normal or zero, so plain floats suffice.
            volatile float sum = number(kInverseFactorials[static_cast<std::size_t>(terms)]);
            for (int j = terms - 1; j >= 1; --j) {
                volatile float product = sum * number(bits);
                sum = product + number(kInverseFactorials[static_cast<std::size_t>(j)]);
            }
            volatile float product = sum * number(bits);
            tail.push_back(word(product));
            whole.push_back(word(product + 1.0F));
        }
        on_every_target([&] {
            isa::VectorSeries form;
            form.num_series = terms;
            CHECK(unit.run(Opcode::bdc_taylor_exp, form, x) == whole);
            CHECK(unit.run(Opcode::bdc_taylor_exp_tail, form, x) == tail);
        });
    }
}

TEST_CASE("conversion to integers truncates and saturates") {
    Unit unit;
    const Words x{word(2147483520.0F),
                  word(2147483648.0F),
                  word(-2147483648.0F),
                  word(-2147483904.0F),
                  kInfinity,
                  kMinus | kInfinity,
                  kNan,
                  kNegativeNan,
                  kDenormal,
                  word(-0.99F),
                  word(1.99F),
                  word(-1.99F)};
    // A NaN saturates by its sign (golden vector okk_bdc_fp32_to_int32-03).
    on_every_target([&] {
        CHECK(unit.unary(Opcode::bdc_fp32_to_int32, x) ==
              Words{2147483520, 0x7FFFFFFF, 0x80000000, 0x80000000, 0x7FFFFFFF, 0x80000000,
                    0x7FFFFFFF, 0x80000000, 0, 0, 1, 0xFFFFFFFF});
    });
}

TEST_CASE("shifts by 32 and more are mathematical") {
    Unit unit;
    const auto amount = [](std::int32_t value) { return static_cast<std::uint32_t>(value); };
    const Words by{amount(32),  amount(-32),       amount(40),
                   amount(-40), amount(INT32_MIN), amount(INT32_MAX),
                   amount(31),  amount(-31),       0};
    const Words x(by.size(), 0x80000001);
    on_every_target([&] {
        CHECK(
            unit.binary(Opcode::bdc_32bit_arithmetic_shift, x, by) ==
            Words{0, 0xFFFFFFFF, 0, 0xFFFFFFFF, 0xFFFFFFFF, 0, 0x80000000, 0xFFFFFFFF, 0x80000001});
        CHECK(unit.binary(Opcode::bdc_32bit_logical_shift, x, by) ==
              Words{0, 0, 0, 0, 0, 0, 0x80000000, 1, 0x80000001});
    });
}

TEST_CASE("the dispatcher refuses what is not a command of this engine") {
    LocalMemory memory(tests::small_machine(4, 4096));
    LanePool pool;
    const isa::Dim4 shape{1, 1, 1, 1};
    CHECK_THROWS_AS(
        execute_bdc(isa::Command::make(Opcode::bdc_exp, isa::SequenceWork{{0}, {0}, {128}, shape}),
                    memory, pool),
        InternalError);
    CHECK_THROWS_AS(execute_bdc(isa::Command::make(Opcode::gdma_8bit_set_C_local,
                                                   isa::GdmaFillLocal{{0}, {1}, shape, shape}),
                                memory, pool),
                    InternalError);
}

}  // namespace okksim::models
