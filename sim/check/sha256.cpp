// SPDX-License-Identifier: Apache-2.0
#include "sim/check/sha256.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

namespace okksim::sim::check {
namespace {

constexpr std::size_t kBlock = 64;
constexpr std::size_t kRounds = 64;
constexpr std::size_t kLengthBytes = 8;

/// Returns the first 32 bits of the fraction of a root of the n-th prime number. The arithmetic of
/// long double has the bits for it.
std::uint32_t fraction_bits(long double root) {
    return static_cast<std::uint32_t>((root - std::floor(root)) * 4294967296.0L);
}

struct Constants {
    std::array<std::uint32_t, 8> start{};
    std::array<std::uint32_t, kRounds> rounds{};

    Constants() {
        std::size_t found = 0;
        for (int candidate = 2; found < kRounds; ++candidate) {
            bool is_prime = true;
            for (int d = 2; d * d <= candidate; ++d) is_prime = is_prime && candidate % d != 0;
            if (!is_prime) continue;
            if (found < start.size()) {
                start[found] = fraction_bits(std::sqrt(static_cast<long double>(candidate)));
            }
            rounds[found++] = fraction_bits(std::cbrt(static_cast<long double>(candidate)));
        }
    }
};

std::uint32_t big_endian(const std::byte* bytes) {
    std::uint32_t word = 0;
    for (int i = 0; i < 4; ++i) word = word << 8 | std::to_integer<std::uint32_t>(bytes[i]);
    return word;
}

using State = std::array<std::uint32_t, 8>;

void add_block(State& state, const std::byte* block, const Constants& constants) {
    std::array<std::uint32_t, kRounds> w;
    for (std::size_t i = 0; i < 16; ++i) w[i] = big_endian(block + 4 * i);
    for (std::size_t i = 16; i < kRounds; ++i) {
        const std::uint32_t a = w[i - 15], b = w[i - 2];
        w[i] = w[i - 16] + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ a >> 3) + w[i - 7] +
               (std::rotr(b, 17) ^ std::rotr(b, 19) ^ b >> 10);
    }
    State s = state;
    for (std::size_t i = 0; i < kRounds; ++i) {
        const std::uint32_t sum_e = std::rotr(s[4], 6) ^ std::rotr(s[4], 11) ^ std::rotr(s[4], 25);
        const std::uint32_t choice = (s[4] & s[5]) ^ (~s[4] & s[6]);
        const std::uint32_t first = s[7] + sum_e + choice + constants.rounds[i] + w[i];
        const std::uint32_t sum_a = std::rotr(s[0], 2) ^ std::rotr(s[0], 13) ^ std::rotr(s[0], 22);
        const std::uint32_t majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
        s = {first + sum_a + majority, s[0], s[1], s[2], s[3] + first, s[4], s[5], s[6]};
    }
    for (std::size_t i = 0; i < state.size(); ++i) state[i] += s[i];
}

}  // namespace

std::string sha256_text(std::span<const std::byte> bytes) {
    static const Constants constants;
    State state = constants.start;
    const std::size_t whole = bytes.size() / kBlock * kBlock;
    for (std::size_t at = 0; at < whole; at += kBlock)
        add_block(state, bytes.data() + at, constants);
    // The end: the bit 1, zeros, and the length in bits.
    std::vector<std::byte> end(bytes.begin() + static_cast<std::ptrdiff_t>(whole), bytes.end());
    end.push_back(std::byte{0x80});
    while (end.size() % kBlock != kBlock - kLengthBytes) end.push_back(std::byte{0});
    for (std::size_t i = kLengthBytes; i-- > 0;) {
        end.push_back(static_cast<std::byte>(std::uint64_t{bytes.size()} * 8 >> 8 * i));
    }
    for (std::size_t at = 0; at < end.size(); at += kBlock)
        add_block(state, end.data() + at, constants);
    std::string text;
    for (const std::uint32_t word : state) text += fmt::format("{:08x}", word);
    return text;
}

}  // namespace okksim::sim::check
