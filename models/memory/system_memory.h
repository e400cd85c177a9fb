// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "isa/types.h"
#include "models/memory/poisoned_block.h"

namespace okksim::models {

/// All memories of a machine behind system addresses. They are sparse: the host pays for the pages
/// that are touched. Fresh memory reads as LocalMemory::kPoisonByte.
class SystemMemory {
 public:
    explicit SystemMemory(const isa::MachineShape& shape);
    SystemMemory(const SystemMemory&) = delete;
    SystemMemory& operator=(const SystemMemory&) = delete;

    /// Host pointer to [address, address + bytes), or nullptr when the range is not wholly inside
    /// one memory. A pointer stays valid for the life of the object, or until show() or mirror().
    /// Throws std::bad_alloc when the host does not grant as much address space.
    std::byte* pointer(std::uint64_t address, std::uint64_t bytes);
    /// The same for somebody who overwrites all of the range: what it holds before is undefined.
    std::byte* pointer_to_overwrite(std::uint64_t address, std::uint64_t bytes);
    /// The same for whoever does not say how far beyond `address` he goes.
    std::byte* pointer_to_rest(std::uint64_t address);

    /// The bytes, which lie in one memory, are as nobody has written them again. What others own
    /// stays as it is.
    void forget(std::uint64_t address, std::uint64_t bytes);

    /// Whether nobody has stored anything on the host's pages around so many bytes, a page's at
    /// most; not when the host does not say.
    bool is_untouched(std::uint64_t address, std::uint64_t bytes);

    /// From now on the memory that starts at `start` shows `data`, which others own.
    void show(std::uint64_t start, std::byte* data);
    /// From now on that memory is a mirror of one that pointers do not reach: it holds what
    /// somebody copies into it.
    void mirror(std::uint64_t start);
    /// Whether all memories are of our own: neither shown from elsewhere nor mirrors.
    bool is_own() const;
    /// Whether the memory that holds the address is a mirror.
    bool is_mirror(std::uint64_t address) const;

 private:
    struct Region {
        isa::MemoryRegion place;
        std::unique_ptr<PoisonedBlock> own;
        std::byte* shown = nullptr;  ///< others' bytes instead of its own
        bool is_mirror = false;
    };

    Region* region_of(std::uint64_t address, std::uint64_t bytes);
    Region& region_at(std::uint64_t start);

    std::vector<Region> regions_;
};

}  // namespace okksim::models
