// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "kernels/tensor.h"

namespace okksim::kernels {

/// Most tensors that one iteration space ties together.
inline constexpr int kMaxOperands = 6;

/// Element strides of one operand over the dimensions of an iteration space; 0 where it broadcasts.
using NdStrides = std::array<std::int64_t, kMaxRank>;

/// A block of the iteration space that is mapped to local memory as the tensor (1, c, h, w): c over
/// lanes. Every operand sees the same block through its own strides.
struct NdTile {
    std::int32_t c = 1, h = 1, w = 1;
    struct Operand {
        std::int64_t offset = 0;  ///< elements from the operand's start
        std::int64_t c_stride = 0, h_stride = 0, w_stride = 0;
    };
    std::array<Operand, kMaxOperands> operands{};

    std::int64_t count() const { return std::int64_t{c} * h * w; }
};

/// Room that a tile may take.
struct NdLimits {
    std::int32_t lanes = 64;
    std::int32_t channels = 64;          ///< most channels of a tile: a multiple of lanes
    std::int32_t words_per_channel = 0;  ///< most h * w elements of a tile, a multiple of 32
};

/// One dimension of an iteration space with every operand's stride along it.
struct NdAxis {
    std::int64_t extent = 1;
    std::array<std::int64_t, kMaxOperands> strides{};
};

/// The space `dims` with dimensions of extent 1 dropped, ordered by the last operand's strides
/// (innermost first) and merged where all operands allow it. At least one axis.
std::vector<NdAxis> merged_axes(std::span<const std::int32_t> dims,
                                std::span<const NdStrides> operands);
/// The same for a space given as axes in any order and number.
std::vector<NdAxis> merged_axes(std::vector<NdAxis> axes, std::size_t operands);

/// Strides of `tensor` seen over the dimensions `dims` of an output it broadcasts to: dimension i
/// of the tensor has extent dims[i] or 1.
NdStrides broadcast_strides(const DeviceTensor& tensor, std::span<const std::int32_t> dims);

/// Cuts the iteration space `dims` into tiles and calls `visit` for each, covering every point
/// once. Dimensions merge where all operands allow it; the dimension with unit stride in the most
/// operands becomes w. Pure: depends on the arguments alone.
void for_each_tile(std::span<const std::int32_t> dims, std::span<const NdStrides> operands,
                   const NdLimits& limits, const std::function<void(const NdTile&)>& visit);

/// A tile of at least the extents of every tile that for_each_tile visits, in every dimension.
NdTile largest_tile(std::span<const std::int32_t> dims, std::span<const NdStrides> operands,
                    const NdLimits& limits);

}  // namespace okksim::kernels
