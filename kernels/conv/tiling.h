// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

#include "kernels/conv/problem.h"
#include "kernels/conv/sum_rule.h"
#include "kernels/prim/lanes.h"

namespace okksim::kernels::conv {

/// What a command may take at most besides isa/limits.h (okk_bdc_conv2d, okk_bdc_depthwise2d).
inline constexpr std::int32_t kMostZeros = 15;
inline constexpr std::int32_t kMostStep = 15;

/// The machine a tiling is for.
struct Machine {
    Lanes lanes;
    std::uint32_t local_bytes = 0;  ///< per lane, what the tiles may take
};

/// Extents of a tile: outputs of a step, and the input channels and taps that one step adds to
/// them. Axis z goes one output and one tap at a time.
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

/// Buffers of one operand: packed tiles as loaded, and planes of words where they must be made.
/// The data mover can spread bytes out, which saves commands.
struct OperandBuffers {
    int packed_slots = 0;
    std::uint32_t packed_bytes = 0;  ///< of one tile
    int plane_slots = 0;             ///< 0: the packed tile is used as it is
    std::uint32_t plane_bytes = 0;   ///< of one tile, all limbs
    bool spread = false;             ///< packed tiles are bytes spread out as words (can_spread)
    bool widened() const { return plane_slots > 0 || spread; }
    /// Of all tiles.
    std::uint32_t bytes() const {
        return static_cast<std::uint32_t>(packed_slots) * packed_bytes +
               static_cast<std::uint32_t>(plane_slots) * plane_bytes;
    }
};

/// Which loop is outside, and whether an operand stays in local memory once loaded.
struct TileOrder {
    bool channels_outside = false;
    bool keep_inputs = false;
    bool keep_weights = false;
};

/// A way to carry out a problem.
struct Tiling {
    Lanes lanes;
    Tile tile;
    TileCounts counts;
    TileOrder order;
    AxisMode mode_y = AxisMode::kWindow;
    AxisMode mode_x = AxisMode::kWindow;
    bool zeros_in_tile = false;  ///< zeros around the inputs are stored, not left to the command
    bool halves = false;         ///< products take fp16 or bf16 as they are stored (half_mac)
    /// Input channels of a tile besides its own that hold zeros: three channels may take the array
    /// longer than four.
    std::int32_t zero_channels = 0;
    OperandBuffers input;
    OperandBuffers weights;
    int ring_slots = 1;  ///< output tiles being summed or stored
    std::uint32_t ring_bytes = 0;
    int operand_planes = 0;  ///< what the epilogue reads, for as many tiles as the ring holds
    std::uint32_t plane_bytes = 0;  ///< one word per output of a tile
    int work_planes = 0;
    std::uint32_t scratch_bytes = 0;
};

/// Calls `visit` with every tiling that fits and that is worth a look; those of one tile that
/// differ in nothing but their order come one after the other. ProgramFault (out of memory) when
/// the smallest tile does not fit. Pure.
void for_each_tiling(const Problem& problem, const SumRule& rule, const Machine& machine,
                     const std::function<void(const Tiling&)>& visit);

}  // namespace okksim::kernels::conv
