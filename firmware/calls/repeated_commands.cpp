// SPDX-License-Identifier: Apache-2.0
#include "firmware/calls/repeated_commands.h"

#include <array>
#include <atomic>
#include <cstddef>

namespace okksim::firmware::new_commands {
namespace {

/// Hashes of commands that are remembered, at the position of their lowest bits.
constexpr std::size_t kRemembered = 4096;

struct State {
    std::array<std::uint64_t, kRemembered> hashes{};
    std::atomic<std::uint64_t> count = 0;
};
thread_local State state;

std::uint64_t hash_of(const isa::Command& command) {
    constexpr std::uint64_t kFactor = 0x9E3779B97F4A7C15;  // 2^64 / golden ratio
    const auto first = static_cast<std::uint64_t>(command.opcode) << 16 | command.instance;
    std::uint64_t hash = (first + 1) * kFactor;
    for (const std::uint32_t word : command.words) {
        hash = (hash ^ word) * kFactor;
        hash ^= hash >> 32;
    }
    return hash;
}

}  // namespace

void begin_launch() {
    state.hashes.fill(0);
    state.count.store(0, std::memory_order_relaxed);
}

void note(const isa::Command& command) {
    const std::uint64_t hash = hash_of(command);
    std::uint64_t& known = state.hashes[hash % kRemembered];
    if (known == hash) return;
    known = hash;
    state.count.store(count() + 1, std::memory_order_relaxed);
}

std::uint64_t count() { return state.count.load(std::memory_order_relaxed); }

}  // namespace okksim::firmware::new_commands
