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

/// Which granules of the system memories have been written.
class WrittenGranules {
 public:
    /// Bytes of a granule: a power of two.
    WrittenGranules(const isa::MachineShape& machine, std::uint64_t granule_bytes);

    /// Outside every memory nothing happens.
    void mark(std::uint64_t address, std::uint64_t bytes);
    /// Nobody has written the bytes any more; granules in part of the range stay as they are.
    void forget(std::uint64_t address, std::uint64_t bytes);
    /// The first granule of a system tensor that nobody has written. Granules that hold anything
    /// but poison count as written, too, from now on.
    std::optional<PoisonRead> find_unwritten(const isa::TensorView& view, SystemMemory& system);
    /// The first byte of a range that lies in a granule that nobody has written.
    std::optional<std::uint64_t> find_unwritten(std::uint64_t address, std::uint64_t bytes,
                                                SystemMemory& system);
    /// Somebody may have stored there, and further on, without telling, what fresh memory holds:
    /// from now on what somebody has stored to counts as written, by whole pages of the host's.
    void doubt(std::uint64_t address);
    /// Whether find_unwritten() would pass over the granule around an address.
    bool knows(std::uint64_t address, SystemMemory& system) const;

 private:
    struct Memory {
        isa::MemoryRegion region;
        SparseBits bits;
        std::uint64_t doubted = UINT64_MAX;  ///< from this offset on, see doubt()
    };

    /// Granules [first, last] are written, or are not.
    static void set_granules(std::uint64_t first, std::uint64_t last, const Memory& memory,
                             bool written);
    const Memory* memory_of(std::uint64_t address) const;
    /// Whether the bytes of a granule are those of fresh memory.
    bool is_fresh(const Memory& memory, std::uint64_t first, std::uint64_t last,
                  SystemMemory& system) const;
    /// Within one memory, offsets [low, high).
    std::optional<std::uint64_t> find_unwritten(const Memory& memory, std::uint64_t low,
                                                std::uint64_t high, SystemMemory& system);

    std::uint64_t granule_bytes_;
    std::vector<Memory> memories_;
};

}  // namespace okksim::models
