// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace okksim::models {

/// Largest number of channels of a memory.
inline constexpr std::int64_t kMostMemoryChannels = 16;

}  // namespace okksim::models
