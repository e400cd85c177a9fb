// SPDX-License-Identifier: Apache-2.0
#include "kernels/prim/convert.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "kernels/prim/raw.h"
#include "tests/kernels/prim/prim_test_values.h"
#include "tests/support/catch.h"
#include "tests/support/kernel_fixture.h"

namespace okksim::tests {
namespace {

using namespace kernels::prim;
using Sources = std::span<const LocalTensor>;

TEST_CASE("int32 to fp32 rounds to nearest even", "[prim]") {
    const auto [a, b] = integer_pairs(20000, 21);
    const Words columns[] = {a};
    const Applied applied = apply([](auto& d, Sources s, auto& w) { int32_to_float(d, s[0], w); },
                                  kInt32ToFloatPlanes, columns);
    CHECK(applied.commands == kInt32ToFloatCommands);
    for (std::size_t i = 0; i < a.size(); ++i) {
        CAPTURE(a[i]);
        REQUIRE(applied.words[i] == as_bits(static_cast<float>(static_cast<std::int32_t>(a[i]))));
    }
}

TEST_CASE("Small int32 to fp32 in three commands", "[prim]") {
    Words a;
    for (std::int32_t v = -(1 << 22); v < (1 << 22); v += 977) {
        a.push_back(static_cast<std::uint32_t>(v));
    }
    a.push_back((1u << 22) - 1);
    const Words columns[] = {a};
    const Applied applied =
        apply([](auto& d, Sources s, auto&) { small_int32_to_float(d, s[0]); }, 0, columns);
    CHECK(applied.commands == 3);
    for (std::size_t i = 0; i < a.size(); ++i) {
        REQUIRE(as_float(applied.words[i]) == static_cast<float>(static_cast<std::int32_t>(a[i])));
    }
}

TEST_CASE("fp32 to int32 rounds to nearest even and saturates", "[prim]") {
    Words a = edge_floats();
    RandomSource random(22);
    for (int i = 0; i < 20000; ++i) {
        a.push_back(static_cast<std::uint32_t>(random.bits()));
        a.push_back(as_bits(static_cast<float>(random.between(-2000000, 2000000)) * 0.5f));
    }
    const Words columns[] = {a};
    const Applied applied = apply([](auto& d, Sources s, auto& w) { round_to_int32(d, s[0], w); },
                                  kRoundToInt32Planes, columns);
    CHECK(applied.commands == kRoundToInt32Commands);
    const Applied bytes =
        apply([](auto& d, Sources s, auto& w) { round_to_int32(d, s[0], -128.0f, 127.0f, w); },
              kRoundToInt32Planes + 1, columns);
    for (std::size_t i = 0; i < a.size(); ++i) {
        const float value = as_float(a[i]);
        if (std::isnan(value)) continue;
        const double rounded = std::nearbyint(static_cast<double>(value));
        const auto expected =
            static_cast<std::int64_t>(std::clamp(rounded, -2147483648.0, 2147483647.0));
        CAPTURE(a[i]);
        REQUIRE(static_cast<std::int32_t>(applied.words[i]) == expected);
        REQUIRE(static_cast<std::int32_t>(bytes.words[i]) ==
                std::clamp<std::int64_t>(expected, -128, 127));
    }
}

/// A machine with packed elements at address 0, words at kWords, and scratch after them.
struct Packing {
    static constexpr local_addr_t kWords = 16384;
    static constexpr local_addr_t kScratch = 65536;
    static constexpr std::uint32_t kScratchBytes = 65536;

    explicit Packing(const dim4& tensor_shape) : shape(tensor_shape) {
        std::fill_n(machine.port().local_memory().storage(),
                    machine.port().local_memory().storage_bytes(), std::byte{0xCD});
    }
    std::uint8_t* byte(int c, int element, int bits) {
        const std::uint32_t slot = packed_bytes({1, 1, shape.h, shape.w}, bits, {lanes, 32});
        const auto slots = static_cast<std::uint32_t>((shape.c + lanes - 1) / lanes);
        const int channel = c % shape.c;
        const auto offset =
            static_cast<std::int64_t>(slot * (static_cast<std::uint32_t>(channel / lanes) +
                                              static_cast<std::uint32_t>(c / shape.c) * slots) +
                                      static_cast<std::uint32_t>(element * bits / 8));
        return reinterpret_cast<std::uint8_t*>(
            machine.port().local_memory().at(channel % lanes, offset));
    }
    void run(const std::function<void(Scratch&)>& kernel) {
        machine.run([&] {
            okk_initialize();
            Scratch scratch(kScratch, kScratchBytes, {lanes, 32});
            kernel(scratch);
            okk_poll();
        });
    }

    static constexpr int lanes = 4;
    KernelMachine machine{lanes};
    dim4 shape;
};

const dim4 kShapes[] = {{1, 1, 1, 1}, {1, 5, 1, 3}, {2, 9, 3, 7}, {1, 4, 16, 8}, {3, 2, 5, 33}};

TEST_CASE("Bytes and half-words to words and back", "[prim]") {
    for (const dim4& shape : kShapes) {
        for (const int bits : {8, 16}) {
            for (const bool is_signed : {false, true}) {
                Packing packing(shape);
                RandomSource random(23);
                const int elements = shape.h * shape.w;
                std::vector<std::int32_t> expected;
                for (int c = 0; c < shape.n * shape.c; ++c) {
                    for (int e = 0; e < elements; ++e) {
                        const auto raw_bits = static_cast<std::uint16_t>(random.bits());
                        std::memcpy(packing.byte(c, e, bits), &raw_bits,
                                    static_cast<std::size_t>(bits / 8));
                        std::int32_t value = bits == 8 ? raw_bits & 0xFF : raw_bits;
                        if (is_signed && value >= 1 << (bits - 1)) value -= 1 << bits;
                        expected.push_back(value);
                    }
                }
                const LocalTensor words{Packing::kWords, shape, std::nullopt};
                const LocalTensor floats{Packing::kWords + 8192, shape, std::nullopt};
                const local_addr_t again = Packing::kWords + 16384;
                packing.run([&](Scratch& scratch) {
                    if (bits == 8) {
                        unpack_8bit(words, 0, is_signed, scratch);
                        unpack_8bit_to_float(floats, 0, is_signed, scratch);
                        pack_8bit(again, words, scratch);
                        if (is_signed) {
                            pack_float_to_8bit(again + 8192, floats, scratch);
                        } else {
                            pack_float_to_unsigned_8bit(again + 8192, floats, scratch);
                        }
                    } else {
                        unpack_16bit(words, 0, is_signed, scratch);
                        unpack_16bit_to_float(floats, 0, is_signed, scratch);
                        pack_16bit(again, words, scratch);
                        pack_16bit(again + 8192, words, scratch);
                    }
                });
                CAPTURE(shape.n, shape.c, shape.h, shape.w, bits, is_signed);
                const Words integers = packing.machine.load(words);
                const Words reals = packing.machine.load(floats);
                for (std::size_t i = 0; i < expected.size(); ++i) {
                    REQUIRE(static_cast<std::int32_t>(integers[i]) == expected[i]);
                    REQUIRE(as_float(reals[i]) == static_cast<float>(expected[i]));
                }
                for (int c = 0; c < shape.n * shape.c; ++c) {
                    for (int e = 0; e < elements * bits / 8; ++e) {
                        const std::uint8_t* original = packing.byte(c, 0, bits) + e;
                        REQUIRE(original[again] == *original);
                        REQUIRE(original[again + 8192] == *original);
                    }
                }
            }
        }
    }
}

}  // namespace
}  // namespace okksim::tests
