// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/tiling/nd_tiles.h"

namespace okksim::kernels {

/// A region of system memory addressed by element strides over some dimensions. The address is that
/// of the element with all indices 0.
struct StridedRegion {
    std::uint64_t address = 0;
    NdStrides strides{};
};

/// Copies elements of `element_bytes` (1, 2, 4 or 8) from one region of system memory to another
/// that does not overlap it, with as few data-mover commands as the strides allow. Strides of the
/// source may be zero (the element is repeated) or negative.
void copy_strided(const StridedRegion& from, const StridedRegion& to,
                  std::span<const std::int32_t> dims, int element_bytes);

/// The same over axes in any order and number; strides[0] are the source's, strides[1] the
/// destination's.
void copy_axes(std::uint64_t from, std::uint64_t to, std::vector<NdAxis> axes, int element_bytes);

/// copy_strided that may use all of local memory to keep the moves of single elements away from
/// system memory, for kernels that have nothing there.
void move_strided(const StridedRegion& from, const StridedRegion& to,
                  std::span<const std::int32_t> dims, int element_bytes);

/// A space of 8-byte elements as one of 4-byte elements.
std::vector<NdAxis> halves(std::vector<NdAxis> axes, std::size_t operands);

/// Fills a region with one element's bit pattern.
void fill_strided(const StridedRegion& to, std::span<const std::int32_t> dims, int element_bytes,
                  std::uint64_t bits);

/// Copies a whole tensor into another of the same dimensions and type, whatever their storage
/// order. May use all of local memory.
void copy_tensor(const DeviceTensor& from, const DeviceTensor& to);

}  // namespace okksim::kernels
