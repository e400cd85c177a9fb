// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>

namespace okksim::firmware::host {

/// Returns the size of the block of the C library's heap that begins at `begin`, if it is smaller
/// than `wanted`. Returns nothing if the block is large enough or if the size is uncertain. The
/// size is uncertain if no block begins there or if the program uses another heap.
std::optional<std::size_t> too_small_heap_block(const void* begin, std::size_t wanted);

}  // namespace okksim::firmware::host
