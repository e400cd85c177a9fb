// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "isa/layout.h"

namespace okksim::sim::planning {

/// A value's size and the steps [first, last] between which its bytes must survive.
struct Lifetime {
    std::uint64_t bytes = 0;
    std::uint32_t first = 0;
    std::uint32_t last = 0;
};

/// Alignment of every value: bursts of the memory controller and the data mover like it.
inline constexpr std::uint64_t kValueAlignment = 128;

/// Bytes up to the next value.
constexpr std::uint64_t place_bytes(std::uint64_t bytes) {
    return static_cast<std::uint64_t>(
        isa::align_up(static_cast<std::int64_t>(bytes), std::int64_t{kValueAlignment}));
}

/// Offsets for values whose lifetimes may overlap, and the bytes that all of them need together.
struct MemoryPlan {
    std::vector<std::uint64_t> offsets;
    std::uint64_t bytes = 0;
};

/// First fit in order of definition: values whose lifetimes do not meet may share bytes.
MemoryPlan plan_memory(const std::vector<Lifetime>& lifetimes);

}  // namespace okksim::sim::planning
