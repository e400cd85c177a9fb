// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>

namespace okksim::firmware::host {

/// How many bytes the block of the C library's heap holds that begins at `begin`, when they are
/// fewer than `wanted`; nothing when they are not, or when that is not certain: when `begin` is no
/// block's begin, or when the program's heap is another one.
std::optional<std::size_t> too_small_heap_block(const void* begin, std::size_t wanted);

}  // namespace okksim::firmware::host
