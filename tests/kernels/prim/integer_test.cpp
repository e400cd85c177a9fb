// SPDX-License-Identifier: Apache-2.0
#include "kernels/prim/integer.h"

#include <bit>
#include <cstdint>

#include "kernels/prim/leading_zeros.h"
#include "kernels/prim/raw.h"
#include "tests/kernels/prim/prim_test_values.h"
#include "tests/support/catch.h"
#include "tests/support/kernel_fixture.h"

namespace okksim::tests {
namespace {

using namespace kernels::prim;
using Sources = std::span<const LocalTensor>;
using Binary = std::function<std::uint32_t(std::int32_t, std::int32_t)>;

/// Compares a primitive with a scalar function; reports the first difference.
void check_binary(const Primitive& primitive, int planes, int commands, const Words& a,
                  const Words& b, const Binary& reference) {
    const Words columns[] = {a, b};
    const Applied applied = apply(primitive, planes, columns);
    CHECK(applied.commands == static_cast<std::uint64_t>(commands));
    for (std::size_t i = 0; i < a.size(); ++i) {
        const std::uint32_t expected =
            reference(static_cast<std::int32_t>(a[i]), static_cast<std::int32_t>(b[i]));
        if (applied.words[i] != expected) {
            CAPTURE(a[i], b[i], applied.words[i], expected);
            FAIL("wrong result");
        }
    }
}

constexpr std::size_t kRandom = 20000;

std::uint32_t bits(std::int64_t value) { return static_cast<std::uint32_t>(value); }

TEST_CASE("int32 sums and differences wrap", "[prim]") {
    const auto [a, b] = integer_pairs(kRandom, 1);
    check_binary([](auto& d, Sources s, auto& w) { add_int32(d, s[0], s[1], w); }, kAddPlanes,
                 kAddCommands, a, b, [](std::int64_t x, std::int64_t y) { return bits(x + y); });
    check_binary([](auto& d, Sources s, auto& w) { subtract_int32(d, s[0], s[1], w); },
                 kSubtractPlanes, kSubtractCommands, a, b,
                 [](std::int64_t x, std::int64_t y) { return bits(x - y); });
    check_binary([](auto& d, Sources s, auto& w) { negate_int32(d, s[0], w); }, kNegatePlanes,
                 kNegateCommands, a, b, [](std::int64_t x, std::int64_t) { return bits(-x); });
    check_binary([](auto& d, Sources s, auto& w) { absolute_int32(d, s[0], w); }, kAbsolutePlanes,
                 kAbsoluteCommands, a, b,
                 [](std::int64_t x, std::int64_t) { return bits(x < 0 ? -x : x); });
    for (const std::int32_t c : {0, 1, -1, 65535, 65536, -65536, INT32_MAX, INT32_MIN}) {
        check_binary([c](auto& d, Sources s, auto& w) { add_int32(d, s[0], c, w); }, kAddPlanes,
                     kAddCommands, a, b, [c](std::int64_t x, std::int64_t) { return bits(x + c); });
    }
}

TEST_CASE("A destination may be one of the sources", "[prim]") {
    const auto [a, b] = integer_pairs(kRandom, 2);
    const auto in_place = [](auto& d, Sources s, auto& w) {
        raw::copy(d, s[0]);
        subtract_int32(d, d, s[1], w);
        add_int32(d, s[1], d, w);
        multiply_int32(d, d, d, w);
    };
    check_binary(in_place, kMultiplyPlanes,
                 1 + kSubtractCommands + kAddCommands + kMultiplyCommands, a, b,
                 [](std::int64_t x, std::int64_t) { return bits(x * x); });
}

TEST_CASE("Batches, several channels per lane, and sources that broadcast", "[prim]") {
    // 5 channels on 4 lanes: two slots per lane.
    const dim4 shape{2, 5, 3, 7};
    KernelMachine machine(4);
    const LocalTensor a{0, shape, std::nullopt};
    const std::uint32_t bytes = plane_bytes(shape, {4, 32});
    const LocalTensor compact{bytes, {1, 5, 1, 1}, dim4{2, 1, 1, 1}};
    const LocalTensor b = channel_vector(compact.address, shape);
    RandomSource random(9);
    Words words, channels;
    for (int i = 0; i < 2 * 5 * 3 * 7; ++i) words.push_back(bits(random_integer(random)));
    for (int i = 0; i < 5; ++i) channels.push_back(bits(random_integer(random)));
    machine.store(a, words);
    machine.store(compact, channels);
    std::vector<LocalTensor> results;
    for (local_addr_t i = 0; i < 4; ++i) results.push_back({8192 + i * bytes, shape, std::nullopt});
    machine.run([&] {
        okk_initialize();
        Scratch scratch(32768, 10 * bytes, {4, 32});
        add_int32(results[0], a, b, scratch);
        greater_int32(results[1], b, a, 1, scratch);
        negate_int32(results[2], b, scratch);
        multiply_int32(results[3], b, a, scratch);
        okk_poll();
    });
    for (int r = 0; r < 4; ++r) {
        const Words actual = machine.load(results[static_cast<std::size_t>(r)]);
        for (std::size_t i = 0; i < actual.size(); ++i) {
            const std::int64_t x = static_cast<std::int32_t>(words[i]);
            const std::int64_t y = static_cast<std::int32_t>(channels[i / 21 % 5]);
            const std::uint32_t expected[] = {bits(x + y), y > x ? 1u : 0u, bits(-y), bits(x * y)};
            CAPTURE(r, i, x, y);
            REQUIRE(actual[i] == expected[r]);
        }
    }
}

TEST_CASE("int32 comparisons, minimum, maximum, selection", "[prim]") {
    const auto [a, b] = integer_pairs(kRandom, 3);
    check_binary([](auto& d, Sources s, auto& w) { greater_int32(d, s[0], s[1], 1, w); },
                 kCompareInt32Planes, kCompareInt32Commands, a, b,
                 [](int x, int y) { return bits(x > y); });
    check_binary([](auto& d, Sources s, auto& w) { greater_equal_int32(d, s[0], s[1], 7, w); },
                 kCompareInt32Planes, kCompareInt32Commands, a, b,
                 [](int x, int y) { return x >= y ? 7u : 0u; });
    check_binary([](auto& d, Sources s, auto&) { equal_bits(d, s[0], s[1], 1); }, 0, 1, a, b,
                 [](int x, int y) { return bits(x == y); });
    check_binary([](auto& d, Sources s, auto& w) { maximum_int32(d, s[0], s[1], w); },
                 kMinMaxInt32Planes, kMinMaxInt32Commands, a, b,
                 [](int x, int y) { return bits(std::max(x, y)); });
    check_binary([](auto& d, Sources s, auto& w) { minimum_int32(d, s[0], s[1], w); },
                 kMinMaxInt32Planes, kMinMaxInt32Commands, a, b,
                 [](int x, int y) { return bits(std::min(x, y)); });
    check_binary([](auto& d, Sources s, auto& w) { select(d, s[0], s[1], s[0], w); }, kSelectPlanes,
                 kSelectCommands, a, b, [](int x, int y) { return bits(x != 0 ? y : x); });
    check_binary([](auto& d, Sources s, auto&) { is_not_zero(d, s[0]); }, 0, 2, a, b,
                 [](int x, int) { return bits(x != 0); });
    check_binary([](auto& d, Sources s, auto&) { bitwise_not(d, s[0]); }, 0, 1, a, b,
                 [](int x, int) { return bits(~x); });
}

TEST_CASE("Leading zeros", "[prim]") {
    const auto [a, b] = integer_pairs(kRandom, 4);
    check_binary([](auto& d, Sources s, auto& w) { count_leading_zeros(d, s[0], w); },
                 kCountLeadingZerosPlanes, kCountLeadingZerosCommands, a, b,
                 [](int x, int) { return bits(std::countl_zero(static_cast<std::uint32_t>(x))); });
}

TEST_CASE("Shifts by a tensor", "[prim]") {
    auto [a, b] = integer_pairs(kRandom, 5);
    for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<std::uint32_t>(i * 7 % 32);
    check_binary([](auto& d, Sources s, auto&) { shift_left_int32(d, s[0], s[1]); }, 0, 1, a, b,
                 [](int x, int y) { return static_cast<std::uint32_t>(x) << y; });
    check_binary([](auto& d, Sources s, auto& w) { shift_right_logical_int32(d, s[0], s[1], w); },
                 kShiftRightPlanes, kShiftRightCommands, a, b,
                 [](int x, int y) { return static_cast<std::uint32_t>(x) >> y; });
    check_binary(
        [](auto& d, Sources s, auto& w) { shift_right_arithmetic_int32(d, s[0], s[1], false, w); },
        kShiftRightPlanes, kShiftRightCommands, a, b, [](int x, int y) { return bits(x >> y); });
    check_binary(
        [](auto& d, Sources s, auto& w) { shift_right_arithmetic_int32(d, s[0], s[1], true, w); },
        kShiftRightArithmeticPlanes, kShiftRightArithmeticCommands, a, b,
        [](int x, int y) { return bits((x >> y) + (y > 0 ? (x >> (y - 1)) & 1 : 0)); });
}

TEST_CASE("Products", "[prim]") {
    const auto [a, b] = integer_pairs(kRandom, 6);
    check_binary([](auto& d, Sources s, auto& w) { multiply_int32(d, s[0], s[1], w); },
                 kMultiplyPlanes, kMultiplyCommands, a, b,
                 [](std::int64_t x, std::int64_t y) { return bits(x * y); });
    for (const int shift : {1, 2, 10, 11, 12, 21, 22, 23, 31, 32, 33, 40, 43, 44, 45, 62, 63}) {
        CAPTURE(shift);
        const Words columns[] = {a, b};
        const Applied applied = apply(
            [shift](auto& d, Sources s, auto& w) { multiply_shift_int32(d, s[0], s[1], shift, w); },
            kMultiplyShiftPlanes, columns);
        CHECK(applied.commands <= static_cast<std::uint64_t>(kMultiplyShiftCommands));
        for (std::size_t i = 0; i < a.size(); ++i) {
            const std::int64_t product =
                std::int64_t{static_cast<std::int32_t>(a[i])} * static_cast<std::int32_t>(b[i]);
            // 2^62 + 2^62 wraps in 64 bits, as in the specification's int64 arithmetic.
            const Int128 sum = Int128{product} + (Int128{1} << (shift - 1));
            const auto expected =
                static_cast<std::uint32_t>(static_cast<std::int64_t>(sum) >> shift);
            if (applied.words[i] != expected) {
                CAPTURE(a[i], b[i], applied.words[i], expected);
                FAIL("wrong product");
            }
        }
    }
}

TEST_CASE("Quotients truncate toward zero", "[prim]") {
    auto [a, b] = integer_pairs(kRandom, 7);
    for (std::size_t i = 0; i < b.size(); ++i) {
        if (b[i] == 0) b[i] = 3;
        // The one quotient that does not fit.
        if (a[i] == 0x80000000u && b[i] == 0xFFFFFFFFu) b[i] = 1;
    }
    RandomSource random(8);
    for (int i = 0; i < 20000; ++i) {  // dividends next to multiples of the divisor
        const std::int64_t divisor = 1 + random.below(1 << random.between(1, 30));
        const std::int64_t quotient = random.below(INT32_MAX / divisor + 1);
        const std::int64_t dividend =
            std::min<std::int64_t>(INT32_MAX, divisor * quotient + random.between(-1, 1));
        const bool negative = random.one_in(2);
        a.push_back(bits(negative ? -dividend : dividend));
        b.push_back(bits(random.one_in(2) ? -divisor : divisor));
    }
    const Words columns[] = {a, b};
    const Applied applied =
        apply([](auto& d, Sources s, auto& w) { divide_int32(d, s[0], s[1], w); }, kDividePlanes,
              columns);
    CHECK(applied.commands <= static_cast<std::uint64_t>(kDivideCommands));
    for (std::size_t i = 0; i < a.size(); ++i) {
        const std::int64_t expected = std::int64_t{static_cast<std::int32_t>(a[i])} /
                                      std::int64_t{static_cast<std::int32_t>(b[i])};
        if (applied.words[i] != bits(expected)) {
            CAPTURE(a[i], b[i], applied.words[i], bits(expected));
            FAIL("wrong quotient");
        }
    }
}

}  // namespace
}  // namespace okksim::tests
