// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace okksim::sim::planning {

/// Range of global memory that a plan may use.
struct MemoryRange {
    std::uint64_t start = 0;
    std::uint64_t bytes = 0;
};

/// Hands out addresses of a range from below and never takes them back.
class MemoryPile {
 public:
    MemoryPile() = default;
    explicit MemoryPile(const MemoryRange& memory) : memory_(memory) {}

    /// A place of its own, aligned for values (kValueAlignment). check() says whether there is one.
    std::uint64_t take(std::uint64_t bytes);
    /// ProgramFault (kOutOfMemory) when more was taken than there is.
    void check() const;
    /// Where nothing has been taken.
    std::uint64_t end() const { return memory_.start + used_; }

 private:
    MemoryRange memory_;
    std::uint64_t used_ = 0;
};

}  // namespace okksim::sim::planning
