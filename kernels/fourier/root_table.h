// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace okksim::kernels {

/// exp(-2 pi i k / length), or their conjugates, for the whole turn: `length` real parts, then the
/// imaginary ones, as fp32 in system memory. After them come the factors of a transform in two
/// passes: the roots n2 * k1 as a matrix, k1 after k1, with n2 below `columns`.
struct RootTable {
    std::uint64_t address = 0;
    std::int32_t length = 1;
    std::int32_t columns = 0;  ///< 0: no factors

    /// Bytes of the real or the imaginary parts.
    std::uint64_t part_bytes() const { return 4 * static_cast<std::uint64_t>(length); }
    std::uint64_t imaginary() const { return address + part_bytes(); }
    std::uint64_t factors() const { return address + 2 * part_bytes(); }
    std::uint64_t bytes() const { return (columns == 0 ? 2 : 4) * part_bytes(); }
};

}  // namespace okksim::kernels
