// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "isa/tensors.h"
#include "models/memory/poison_read.h"
#include "models/memory/sparse_bits.h"
#include "models/memory/system_memory.h"

namespace okksim::models {

/// Set of written granules of the system memories.
class WrittenGranules {
 public:
    /// `granule_bytes`: size of a granule in bytes, a power of two.
    WrittenGranules(const isa::MachineShape& machine, std::uint64_t granule_bytes);

    /// Ignores addresses outside every memory.
    void mark(std::uint64_t address, std::uint64_t bytes);
    /// Makes the bytes uninitialised again. Granules that are only partly in the range stay
    /// unchanged.
    void forget(std::uint64_t address, std::uint64_t bytes);
    /// Returns the first unwritten granule of a system tensor. From now on, granules with content
    /// other than poison also count as written.
    std::optional<PoisonRead> find_unwritten(const isa::TensorView& view, SystemMemory& system);
    /// Returns the first byte of a range that is in an unwritten granule.
    std::optional<std::uint64_t> find_unwritten(std::uint64_t address, std::uint64_t bytes,
                                                SystemMemory& system);
    /// The firmware may have stored poison bytes at or after `address` through a pointer. From now
    /// on, host pages with any store count as written.
    void doubt(std::uint64_t address);
    /// True if find_unwritten() treats the granule around an address as written.
    bool knows(std::uint64_t address, SystemMemory& system) const;

 private:
    struct Memory {
        isa::MemoryRegion region;
        SparseBits bits;
        std::uint64_t doubted = UINT64_MAX;  ///< from this offset on, see doubt()
    };

    /// Marks granules [first, last] as written or unwritten.
    static void set_granules(std::uint64_t first, std::uint64_t last, const Memory& memory,
                             bool written);
    const Memory* memory_of(std::uint64_t address) const;
    /// True if the bytes of a granule equal those of fresh memory.
    bool is_fresh(const Memory& memory, std::uint64_t first, std::uint64_t last,
                  SystemMemory& system) const;
    /// Searches offsets [low, high) of one memory.
    std::optional<std::uint64_t> find_unwritten(const Memory& memory, std::uint64_t low,
                                                std::uint64_t high, SystemMemory& system);

    std::uint64_t granule_bytes_;
    std::vector<Memory> memories_;
};

}  // namespace okksim::models
