// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "isa/types.h"

namespace okksim::models {

enum class SystemSpace : std::uint8_t { kGlobal, kL2, kDtcm };

/// Global memory, L2-SRAM and DTCM behind system addresses. Global memory is sparse: the host pays
/// for the pages that are touched. Fresh memory reads as LocalMemory::kPoisonByte.
class SystemMemory {
 public:
    explicit SystemMemory(const isa::MachineShape& shape);
    ~SystemMemory();
    SystemMemory(const SystemMemory&) = delete;
    SystemMemory& operator=(const SystemMemory&) = delete;

    /// Host pointer to [address, address + bytes), or nullptr when the range is not wholly inside
    /// one memory. A pointer stays valid for the life of the object.
    std::byte* pointer(std::uint64_t address, std::uint64_t bytes);

    /// The memory that [address, address + bytes) lies wholly inside, if any.
    std::optional<SystemSpace> space(std::uint64_t address, std::uint64_t bytes) const;

 private:
    struct Region {
        SystemSpace space;
        std::uint64_t start;
        std::uint64_t bytes;
        std::byte* data;
    };
    const Region* find(std::uint64_t address, std::uint64_t bytes) const;
    Region regions_[3];
};

}  // namespace okksim::models
