// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ucontext.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace okksim::firmware {

/// A store that an interrupted instruction was about to make: its bytes and its address. With it, a
/// watch carries out the store, which takes one signal and gives the exact bytes.
struct DecodedStore {
    std::uintptr_t address = 0;
    std::array<std::byte, 32> data{};
    std::size_t bytes = 0;   ///< bytes of one repetition, for an instruction that repeats itself
    std::size_t length = 0;  ///< length of the instruction
    /// The remaining repetitions, whose stores are adjacent; 0 for an instruction that does not
    /// repeat itself.
    std::uint64_t repeats = 0;
    std::uintptr_t source = 0;  ///< address that the instruction copies from; 0: it stores `data`
};

/// Decodes the plain stores of C: copies of registers, vectors and constants to memory, and
/// instructions that repeat such a copy. Returns nothing for all others, and on hosts other than
/// x86-64.
std::optional<DecodedStore> decode_store(const ucontext_t& state);

/// Skips the instruction, or `times` of its repetitions.
void pass_store(ucontext_t& state, const DecodedStore& store, std::uint64_t times);

/// Stores to memory that is closed to the program; returns false if the host forbids it.
bool store_regardless(std::uintptr_t address, std::span<const std::byte> data);
/// Loads from memory that may not exist; returns false if it does not.
bool load_carefully(std::uintptr_t address, std::span<std::byte> data);

}  // namespace okksim::firmware
