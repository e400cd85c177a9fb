// SPDX-License-Identifier: Apache-2.0
#include "tests/support/random_values.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace okksim::tests {

namespace {

enum class ValueClass : std::uint8_t {
    kUnitFloat,
    kWideFloat,
    kTinyFloat,
    kExponentFloat,
    kIntegerFloat,
    kSmallInt,
    kSmallInt16Pair,
    kAnyBits,
    kEdge,
};
constexpr std::int64_t kClasses = 9;

std::uint32_t float_between(RandomSource& random, float low, float high) {
    const auto unit = static_cast<float>(random.below(1 << 24)) / static_cast<float>(1 << 24);
    return std::bit_cast<std::uint32_t>(low + (high - low) * unit);
}

/// Any sign and fraction with a biased exponent in [low, high].
std::uint32_t float_with_exponent(RandomSource& random, std::int64_t low, std::int64_t high) {
    const auto bits = static_cast<std::uint32_t>(random.bits());
    return (bits & 0x807FFFFFU) | static_cast<std::uint32_t>(random.between(low, high)) << 23;
}

std::uint32_t word_of(RandomSource& random, ValueClass kind) {
    switch (kind) {
        case ValueClass::kUnitFloat: return float_between(random, -2.0F, 2.0F);
        case ValueClass::kWideFloat: return float_with_exponent(random, 1, 254);
        case ValueClass::kTinyFloat: return float_with_exponent(random, 0, 70);
        case ValueClass::kExponentFloat: return float_between(random, -105.0F, 90.0F);
        case ValueClass::kIntegerFloat:
            return std::bit_cast<std::uint32_t>(static_cast<float>(random.between(-130, 130)));
        case ValueClass::kSmallInt: return static_cast<std::uint32_t>(random.between(-40, 40));
        case ValueClass::kSmallInt16Pair: {
            const auto low = static_cast<std::uint32_t>(random.between(-18, 18)) & 0xFFFF;
            return static_cast<std::uint32_t>(random.between(-18, 18)) << 16 | low;
        }
        case ValueClass::kAnyBits: return static_cast<std::uint32_t>(random.bits());
        case ValueClass::kEdge: return edge_word(random);
    }
    return 0;
}

}  // namespace

std::uint32_t edge_word(RandomSource& random) {
    static constexpr std::uint32_t kWords[] = {
        0x00000000, 0x80000000, 0x3F800000, 0xBF800000,  // +-0, +-1
        0x00000001, 0x80000001, 0x007FFFFF, 0x807FFFFF,  // denormals
        0x00800000, 0x80800000, 0x00800001, 0x01000000,  // smallest normal numbers
        0x7F7FFFFF, 0xFF7FFFFF, 0x7F800000, 0xFF800000,  // largest numbers, infinities
        0x7FC00000, 0xFFC00000, 0x7F800001, 0x7FC12345,  // NaNs, one signalling
        0x4F000000, 0xCF000000, 0x4EFFFFFF, 0xCF000001,  // +-2^31 and neighbours
        0x7FFFFFFF, 0x80007FFF, 0x7F808080, 0xFFFF0000,  // extreme packed integers
        0x00000020, 0xFFFFFFE0, 0x00000021, 0xFFFFFFFF,  // shift amounts 32, -32, 33, -1
        0x3EAAAAAB, 0x42B00000, 0xC2CE0000, 0x43000000,  // 1/3, 88, -103, 128
    };
    return random.element(kWords);
}

std::uint32_t random_word(RandomSource& random) {
    return word_of(random, static_cast<ValueClass>(random.below(kClasses)));
}

void fill_random(RandomSource& random, std::span<std::uint8_t> memory) {
    constexpr std::size_t kBlockBytes = 256;
    const auto main_class = static_cast<ValueClass>(random.below(kClasses));
    for (std::size_t at = 0; at < memory.size(); at += kBlockBytes) {
        const auto kind =
            random.below(10) < 7 ? main_class : static_cast<ValueClass>(random.below(kClasses));
        const std::size_t end = std::min(at + kBlockBytes, memory.size());
        for (std::size_t i = at; i + 4 <= end; i += 4) {
            // A few edge words in every block.
            const std::uint32_t word =
                random.one_in(24) ? edge_word(random) : word_of(random, kind);
            std::memcpy(memory.data() + i, &word, sizeof word);
        }
    }
}

}  // namespace okksim::tests
