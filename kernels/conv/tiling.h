// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "kernels/conv/problem.h"
#include "kernels/prim/lanes.h"

namespace okksim::kernels::conv {

/// Limits of okk_bdc_conv2d and okk_bdc_depthwise2d in addition to isa/limits.h.
inline constexpr std::int32_t kMostZeros = 15;
inline constexpr std::int32_t kMostStep = 15;

/// The machine a tiling is for.
struct Machine {
    Lanes lanes;
    std::uint32_t local_bytes = 0;  ///< per lane, available for tiles
};

/// Extents of a tile: outputs of a step, and the input channels and taps that one step adds to
/// them. Axis z advances one output and one tap at a time.
struct Tile {
    std::int32_t images = 1;
    std::int32_t channels = 1;  ///< output channels, a multiple of the lanes unless it is all
    std::int32_t y = 1;
    std::int32_t x = 1;
    std::int32_t inputs = 1;  ///< input channels, even unless it is all
    std::int32_t taps_y = 1;
    std::int32_t taps_x = 1;
};

/// Parts that each dimension of the problem is cut into.
struct TileCounts {
    std::int64_t images = 1, z = 1, y = 1, x = 1, channels = 1;
    std::int64_t taps_z = 1, taps_y = 1, taps_x = 1, inputs = 1;
    std::int64_t spatial() const { return images * z * y * x; }
    std::int64_t chunks() const { return taps_z * taps_y * taps_x * inputs; }
    std::int64_t steps() const { return spatial() * channels * chunks(); }
};

/// Buffers of one operand: packed tiles as loaded, and planes of words if they are needed. The GDMA
/// can spread bytes out as words, which saves commands.
struct OperandBuffers {
    int packed_slots = 0;
    std::uint32_t packed_bytes = 0;  ///< of one tile
    int plane_slots = 0;             ///< 0: the packed tile is used directly
    std::uint32_t plane_bytes = 0;   ///< of one tile, all limbs
    bool spread = false;             ///< packed tiles are bytes spread out as words (can_spread)
    bool widened() const { return plane_slots > 0 || spread; }
    /// Bytes of all tiles.
    std::uint32_t bytes() const {
        return static_cast<std::uint32_t>(packed_slots) * packed_bytes +
               static_cast<std::uint32_t>(plane_slots) * plane_bytes;
    }
};

/// Outer loop, and whether an operand stays in local memory once it is loaded.
struct TileOrder {
    bool channels_outside = false;
    bool keep_inputs = false;
    bool keep_weights = false;
};

/// One way to cut a problem into tiles.
struct Tiling {
    Lanes lanes;
    Tile tile;
    TileCounts counts;
    TileOrder order;
    AxisMode mode_y = AxisMode::kWindow;
    AxisMode mode_x = AxisMode::kWindow;
    bool zeros_in_tile = false;  ///< padding is stored in the tile, not left to the command
    bool halves = false;         ///< products take fp16 or bf16 directly (half_mac)
    /// Additional input channels of a tile that hold zeros: the array may process four channels
    /// faster than three.
    std::int32_t zero_channels = 0;
    OperandBuffers input;
    OperandBuffers weights;
    int ring_slots = 1;  ///< output tiles being summed or stored
    std::uint32_t ring_bytes = 0;
    int operand_planes = 0;         ///< tiles that the epilogue reads, for each tile of the ring
    std::uint32_t plane_bytes = 0;  ///< one word per output of a tile
    int work_planes = 0;
    std::uint32_t scratch_bytes = 0;
};

}  // namespace okksim::kernels::conv
