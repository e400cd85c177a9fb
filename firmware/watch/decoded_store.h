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
    std::size_t bytes = 0;   ///< of an instruction that repeats itself: of one time
    std::size_t length = 0;  ///< of the instruction
    /// How often it still stores, one behind the other; 0: it does not repeat itself.
    std::uint64_t repeats = 0;
    std::uintptr_t source = 0;  ///< it copies from there; 0: it stores `data`
};

/// The plain stores of C: moves of registers, vectors and constants to memory, and those that
/// repeat themselves. Nothing for all others, and on other hosts than x86-64.
std::optional<DecodedStore> decode_store(const ucontext_t& state);

/// Goes behind the instruction, or behind `times` of its repetitions.
void pass_store(ucontext_t& state, const DecodedStore& store, std::uint64_t times);

/// Stores where the program itself has no access; false when the host does not let it.
bool store_regardless(std::uintptr_t address, std::span<const std::byte> data);
/// Loads from where there may be nothing; false when there is not.
bool load_carefully(std::uintptr_t address, std::span<std::byte> data);

}  // namespace okksim::firmware
