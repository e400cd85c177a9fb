// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "isa/types.h"
#include "models/memory/poisoned_block.h"

namespace okksim::models {

/// All memories of a machine with system addresses. They are sparse: the host pays for touched
/// pages only. Fresh memory reads as LocalMemory::kPoisonByte.
class SystemMemory {
 public:
    explicit SystemMemory(const isa::MachineShape& shape);
    SystemMemory(const SystemMemory&) = delete;
    SystemMemory& operator=(const SystemMemory&) = delete;

    /// Returns a host pointer to [address, address + bytes), or nullptr if the range is not inside
    /// one memory. The pointer stays valid for the life of the object, or until show() or mirror().
    /// Throws std::bad_alloc if the host does not grant the address space.
    std::byte* pointer(std::uint64_t address, std::uint64_t bytes);
    /// Returns a pointer to a range that the caller overwrites completely; its old content is
    /// undefined.
    std::byte* pointer_to_overwrite(std::uint64_t address, std::uint64_t bytes);
    /// Returns a pointer for callers that do not know how far beyond `address` they access.
    std::byte* pointer_to_rest(std::uint64_t address);

    /// Makes the bytes, which must be within one memory, uninitialised again. Memory that show() or
    /// mirror() has replaced stays unchanged.
    void forget(std::uint64_t address, std::uint64_t bytes);

    /// True if no store has touched the host's pages around these bytes, at most one page. False if
    /// the host does not report it.
    bool is_untouched(std::uint64_t address, std::uint64_t bytes);

    /// From now on the memory that starts at `start` is `data`, which the caller owns.
    void show(std::uint64_t start, std::byte* data);
    /// From now on the memory that starts at `start` is a mirror of memory without direct access.
    /// It holds the bytes that are copied into it.
    void mirror(std::uint64_t start);
    /// True if this object owns all memories: show() and mirror() have replaced none.
    bool is_own() const;
    /// True if the memory that holds the address is a mirror.
    bool is_mirror(std::uint64_t address) const;

 private:
    struct Region {
        isa::MemoryRegion place;
        std::unique_ptr<PoisonedBlock> own;
        std::byte* shown = nullptr;  ///< replaces `own` after show()
        bool is_mirror = false;
        /// Bytes of `own` before the memory, so that its end is the end of a host page and an
        /// access past it is a signal.
        std::uint64_t lead = 0;

        std::uint64_t offset_of(std::uint64_t address) const {
            return address - place.start + lead;
        }
    };

    Region* region_of(std::uint64_t address, std::uint64_t bytes);
    Region& region_at(std::uint64_t start);

    std::vector<Region> regions_;
};

}  // namespace okksim::models
