// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "isa/layout.h"

namespace okksim::sim::planning {

/// A value's size, and the steps [first, last] in which its bytes must survive.
struct Lifetime {
    std::uint64_t bytes = 0;
    std::uint32_t first = 0;
    std::uint32_t last = 0;
};

/// Alignment of every value in bytes, which suits bursts of the memory controller and of the GDMA.
inline constexpr std::uint64_t kValueAlignment = 128;

/// Returns the size of a value, rounded up to the start of the next one.
constexpr std::uint64_t place_bytes(std::uint64_t bytes) {
    return static_cast<std::uint64_t>(
        isa::align_up(static_cast<std::int64_t>(bytes), std::int64_t{kValueAlignment}));
}

/// Offsets of values whose lifetimes may overlap, and the total size.
struct MemoryPlan {
    std::vector<std::uint64_t> offsets;
    std::uint64_t bytes = 0;
};

/// Allocates first fit in order of definition. Values may share bytes if their lifetimes do not
/// overlap.
MemoryPlan plan_memory(const std::vector<Lifetime>& lifetimes);

}  // namespace okksim::sim::planning
