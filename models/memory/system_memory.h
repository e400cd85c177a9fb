// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "isa/types.h"

namespace okksim::models {

/// All memories of a machine behind system addresses. They are sparse: the host pays for the pages
/// that are touched. Fresh memory reads as LocalMemory::kPoisonByte.
class SystemMemory {
 public:
    explicit SystemMemory(const isa::MachineShape& shape);
    ~SystemMemory();
    SystemMemory(const SystemMemory&) = delete;
    SystemMemory& operator=(const SystemMemory&) = delete;

    /// Host pointer to [address, address + bytes), or nullptr when the range is not wholly inside
    /// one memory. A pointer stays valid for the life of the object.
    std::byte* pointer(std::uint64_t address, std::uint64_t bytes);

 private:
    struct Region {
        isa::MemoryRegion place;
        std::byte* data;
    };

    std::vector<Region> regions_;
};

}  // namespace okksim::models
