// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "isa/layout.h"

/// Allocation of offsets in prepared constants (prepared_constants.h).
namespace okksim::kernels {

/// Allocates `bytes` bytes after `end` and advances `end`. Parts are aligned so that bursts begin
/// with them.
inline std::uint64_t take_prepared(std::uint64_t& end, std::uint64_t bytes) {
    constexpr std::int64_t kAlignment = 128;
    const auto aligned = [](std::uint64_t at) {
        return static_cast<std::uint64_t>(isa::align_up(static_cast<std::int64_t>(at), kAlignment));
    };
    const std::uint64_t begin = aligned(end);
    end = aligned(begin + bytes);
    return begin;
}

}  // namespace okksim::kernels
