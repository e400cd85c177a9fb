// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "kernels/tiling/nd_tiles.h"

namespace okksim::kernels {

/// A region of system memory addressed by element strides over some dimensions. The address is that
/// of the element with all indices 0.
struct StridedRegion {
    std::uint64_t address = 0;
    NdStrides strides{};
};

/// Copies elements of `element_bytes` (1, 2, 4 or 8) between two regions of system memory with as
/// few data-mover commands as the strides allow. Strides must not be negative.
void copy_strided(const StridedRegion& from, const StridedRegion& to,
                  std::span<const std::int32_t> dims, int element_bytes);

/// Fills a region with one element's bit pattern.
void fill_strided(const StridedRegion& to, std::span<const std::int32_t> dims, int element_bytes,
                  std::uint64_t bits);

/// Copies a whole tensor into another of the same dimensions and type, whatever their storage
/// order.
void copy_tensor(const DeviceTensor& from, const DeviceTensor& to);

}  // namespace okksim::kernels
