// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "kernels/prim/table.h"
#include "tests/kernels/prim/prim_test_values.h"
#include "tests/support/catch.h"
#include "tests/support/kernel_fixture.h"

namespace okksim::tests {
namespace {

using namespace kernels::prim;
using Sources = std::span<const LocalTensor>;

TEST_CASE("int8 tables", "[prim]") {
    RandomSource random(71);
    Words values;
    for (int v = -128; v < 128; ++v) {
        values.push_back(static_cast<std::uint32_t>(v));
        values.push_back(static_cast<std::uint32_t>(v) & 0xFFu);  // only 8 bits count
    }
    const Words columns[] = {values};
    for (int kind = 0; kind < 4; ++kind) {
        std::vector<std::int8_t> entries(256);
        for (int i = 0; i < 256; ++i) {
            std::int64_t entry = random.between(-128, 127);
            if (kind == 1) entry = std::lround(127 * std::tanh((i - 128) / 16.0));
            if (kind == 2) entry = 42;
            if (kind == 3) entry = 0;
            entries[static_cast<std::size_t>(i)] = static_cast<std::int8_t>(entry);
        }
        const ByteTable table(entries);
        const Applied applied = apply([&](auto& d, Sources s, auto& w) { table.run(d, s[0], w); },
                                      ByteTable::kPlanes, columns);

        CHECK(applied.commands <= 138);
        for (std::size_t i = 0; i < values.size(); ++i) {
            const auto value = static_cast<std::int8_t>(values[i]);
            CAPTURE(kind, static_cast<int>(value));
            REQUIRE(static_cast<std::int32_t>(applied.words[i]) ==
                    entries[static_cast<std::size_t>(value + 128)]);
        }
    }
}

TEST_CASE("int16 tables interpolate", "[prim]") {
    RandomSource random(72);
    Words values;
    for (int v = -32768; v < 32768; v += 5) values.push_back(static_cast<std::uint32_t>(v));
    values.push_back(32767);
    values.push_back(0xFFFF);  // -1 in 16 bits
    const Words columns[] = {values};
    for (int kind = 0; kind < 3; ++kind) {
        std::vector<std::int16_t> entries(513);
        std::int64_t entry = 0;
        for (int i = 0; i < 513; ++i) {
            // Steps of more than an int16 are not allowed (1.12.5).
            entry = std::clamp<std::int64_t>(entry + random.between(-32768, 32767), -32768, 32767);
            if (std::abs(entry) == 32768) entry = -16384;
            if (kind == 0 && i > 0) {
                entry = std::clamp<std::int64_t>(entry,
                                                 entries[static_cast<std::size_t>(i - 1)] - 32768,
                                                 entries[static_cast<std::size_t>(i - 1)] + 32767);
            }
            if (kind == 1) {
                entry = std::clamp<std::int64_t>(std::llround(32768 * std::tanh((i - 256) / 32.0)),
                                                 -32768, 32767);
            }
            if (kind == 2) entry = -32768;
            entries[static_cast<std::size_t>(i)] = static_cast<std::int16_t>(entry);
        }
        const InterpolatedTable table(entries);
        const Applied applied = apply([&](auto& d, Sources s, auto& w) { table.run(d, s[0], w); },
                                      InterpolatedTable::kPlanes, columns);

        CHECK(applied.commands <= 1040);
        for (std::size_t i = 0; i < values.size(); ++i) {
            // TOSA 1.0.1, 1.12.5 apply_lookup_s.
            const auto value = static_cast<std::int16_t>(values[i]);
            const auto index = static_cast<std::size_t>((value + 32768) >> 7);
            const int fraction = value & 0x7F;
            const int slope = entries[index + 1] - entries[index];
            const int expected = entries[index] * 128 + slope * fraction;
            CAPTURE(kind, value);
            REQUIRE(static_cast<std::int32_t>(applied.words[i]) == expected);
        }
    }
}

}  // namespace
}  // namespace okksim::tests
