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

/// Which granules of 64 bytes of the system memories have been written.
class WrittenGranules {
 public:
    explicit WrittenGranules(const isa::MachineShape& machine);

    /// Outside every memory nothing happens.
    void mark(std::uint64_t address, std::uint64_t bytes);
    /// The first granule of a system tensor that nobody has written. Granules that hold anything
    /// but poison count as written, too, from now on.
    std::optional<PoisonRead> find_unwritten(const isa::TensorView& view, SystemMemory& system);
    /// Whether find_unwritten() would pass over the granule around an address.
    bool knows(std::uint64_t address, SystemMemory& system) const;

 private:
    struct Memory {
        isa::MemoryRegion region;
        SparseBits bits;
    };

    void mark_granules(std::uint64_t first, std::uint64_t last, const Memory& memory);
    const Memory* memory_of(std::uint64_t address) const;

    std::vector<Memory> memories_;
};

}  // namespace okksim::models
