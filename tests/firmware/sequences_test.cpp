// SPDX-License-Identifier: Apache-2.0
// Functions that issue several commands, in cases that golden vectors lack: tensors that share
// memory, all byte values, planes longer than one command.
#include <cmath>
#include <cstring>

#include "firmware/calls/context.h"
#include "firmware/okk.h"
#include "models/chip/functional_port.h"
#include "tests/support/catch.h"
#include "tests/support/small_machine.h"

namespace okksim::tests {

namespace {

struct Fixture {
    Fixture(std::int32_t lanes, std::int64_t local_bytes)
        : port(small_machine(lanes, local_bytes)), context(port), binding(context) {}

    template <typename T>
    T* local(std::int32_t lane, std::int64_t offset) {
        return reinterpret_cast<T*>(port.local_memory().at(lane, offset));
    }

    models::FunctionalPort port;
    firmware::Context context;
    firmware::Context::Binding binding;
};

using SeriesFunction = void (*)(local_addr_t, local_addr_t, local_addr_t, const dim4*, int);

}  // namespace

TEST_CASE("exp and tanh see the whole part of their operand in place, sigmoid all of it") {
    // SEMANTICS.md 4: exp is seven commands and subtracts trunc(x) where x was; tanh adds four.
    // Sigmoid is ten, and keeps -x in the work tensor.
    Fixture f(4, 16384);
    const dim4 shape{2, 5, 3, 11};
    constexpr local_addr_t kSrc = 0;
    constexpr local_addr_t kDst = 4096;
    constexpr local_addr_t kWork = 8192;
    struct Row {
        SeriesFunction function;
        bool whole_part;
        std::uint64_t commands;
    };
    const Row rows[] = {{okk_bdc_exp_tunable, true, 7},
                        {okk_bdc_sigmoid_tunable, false, 10},
                        {okk_bdc_tanh_tunable, true, 11}};
    for (const Row& row : rows) {
        const auto fill = [&](bool whole_part) {
            // The aligned layout of two slots of 64 words and two batches: 256 words per lane.
            for (std::int32_t lane = 0; lane < 4; ++lane) {
                for (int i = 0; i < 256; ++i) {
                    const float x = -20.f + 0.161f * static_cast<float>(i) + lane;
                    f.local<float>(lane, kSrc)[i] = whole_part ? std::trunc(x) : x;
                }
            }
        };
        fill(row.whole_part);
        std::uint64_t before = f.context.counts().commands[isa::Engine::kBdc];
        row.function(kDst, kSrc, kWork, &shape, 16);
        CHECK(f.context.counts().commands[isa::Engine::kBdc] - before == row.commands);
        fill(false);
        CHECK(f.local<float>(0, kSrc)[1] == -20.f + 0.161f);
        before = f.context.counts().commands[isa::Engine::kBdc];
        row.function(kSrc, kSrc, kWork, &shape, 16);
        CHECK(f.context.counts().commands[isa::Engine::kBdc] - before == row.commands);
        for (std::int32_t lane = 0; lane < 4; ++lane) {
            const int slots = lane == 0 ? 2 : 1;  // 5 channels on 4 lanes
            for (int slot = 0; slot < slots; ++slot) {
                CHECK(std::memcmp(f.local<float>(lane, kSrc) + slot * 64,
                                  f.local<float>(lane, kDst) + slot * 64, 33 * 4) == 0);
            }
        }
    }
}

TEST_CASE("every byte converts to its value, also where tensors share memory") {
    Fixture f(1, 65536);
    const dim4 plain{1, 1, 1, 256};
    for (const bool is_signed : {false, true}) {
        // Destinations: disjoint from the source, and the source's address (in-place).
        for (const local_addr_t dst : {4096u, 0u}) {
            for (int i = 0; i < 256; ++i)
                f.local<unsigned char>(0, 0)[i] = static_cast<unsigned char>(i);
            okk_bdc_int8_to_fp32(dst, 0, 8192, &plain, is_signed, true);
            for (int i = 0; i < 256; ++i) {
                const int expected = is_signed && i > 127 ? i - 256 : i;
                REQUIRE(f.local<float>(0, dst)[i] == static_cast<float>(expected));
            }
            // Bytes in 4N layout: word i holds batch elements 0..3 at position i.
            const dim4 packed{4, 1, 1, 64};
            for (int i = 0; i < 256; ++i)
                f.local<unsigned char>(0, 0)[i] = static_cast<unsigned char>(i);
            okk_bdc_4N_int8_to_fp32(dst, 0, 8192, &packed, is_signed, false);
            for (int i = 0; i < 256; ++i) {
                const int expected = is_signed && i > 127 ? i - 256 : i;
                REQUIRE(f.local<float>(0, dst)[i % 4 * 64 + i / 4] == static_cast<float>(expected));
            }
        }
    }
}

TEST_CASE("planes longer than one command convert completely and nothing else is written") {
    // 5 * 60000 bytes are 75000 words, more than the 65535 of one command.
    Fixture f(1, 4 << 20);
    const dim4 shape{1, 1, 5, 60000};
    constexpr local_addr_t kDst = 1 << 20;
    constexpr local_addr_t kWork = 3 << 20;
    for (int i = 0; i < 300000; ++i) {
        f.local<unsigned char>(0, 0)[i] = static_cast<unsigned char>(i * 7 + i / 256);
    }
    *f.local<float>(0, kDst + 300000 * 4) = 42.f;
    okk_bdc_int8_to_fp32(kDst, 0, kWork, &shape, false, false);
    int wrong = 0;
    for (int i = 0; i < 300000; ++i) {
        const float expected = static_cast<float>(static_cast<unsigned char>(i * 7 + i / 256));
        wrong += f.local<float>(0, kDst)[i] == expected ? 0 : 1;
    }
    CHECK(wrong == 0);
    CHECK(*f.local<float>(0, kDst + 300000 * 4) == 42.f);
}

TEST_CASE("the low byte of every 16-bit value is split off") {
    Fixture f(1, 524288);
    // 2N words: batch elements 2i and 2i + 1 of one position; 4N result: four to a word.
    const dim4 shape{4, 1, 128, 128};
    constexpr local_addr_t kDst = 131072;
    constexpr local_addr_t kWork = 262144;
    auto* source = f.local<std::uint16_t>(0, 0);
    for (int i = 0; i < 65536; ++i) source[i] = static_cast<std::uint16_t>(i * 40503);
    okk_bdc_fixed_point_packed_16bit_split_low_8bit(kDst, 0, kWork, &shape, nullptr, nullptr,
                                                    nullptr);
    int wrong = 0;
    for (int n = 0; n < 4; ++n) {
        for (int position = 0; position < 16384; ++position) {
            const std::uint16_t value = source[(n / 2 * 16384 + position) * 2 + n % 2];
            wrong += f.local<std::uint8_t>(0, kDst)[position * 4 + n] == (value & 0xff) ? 0 : 1;
        }
    }
    CHECK(wrong == 0);
}

}  // namespace okksim::tests
