// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace okksim::sim::planning {

/// Range of global memory that a plan may use.
struct MemoryRange {
    std::uint64_t start = 0;
    std::uint64_t bytes = 0;
};

/// Allocates addresses of a range in ascending order and never frees them.
class MemoryPile {
 public:
    MemoryPile() = default;
    explicit MemoryPile(const MemoryRange& memory) : memory_(memory) {}

    /// Allocates memory with the alignment of values (kValueAlignment). Overflow is reported by
    /// check().
    std::uint64_t take(std::uint64_t bytes);
    /// Throws ProgramFault (kOutOfMemory) if more memory was allocated than the range has.
    void check() const;
    /// Returns the address after the last allocation.
    std::uint64_t end() const { return memory_.start + used_; }

 private:
    MemoryRange memory_;
    std::uint64_t used_ = 0;
};

}  // namespace okksim::sim::planning
