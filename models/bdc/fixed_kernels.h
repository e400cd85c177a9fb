// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "models/common/lane_pool.h"
#include "models/common/lane_walk.h"

namespace okksim::models {

/// Integer operations of the packed fixed-point commands. All but the last two round by `rshift`
/// and saturate to the type of the destination.
enum class FixedKernel : std::uint8_t {
    kAdd,
    kSubtract,
    kMultiply,
    kMaximum,
    kMinimum,
    kMultiplyAdd,     ///< wrap32((source 0 << lshift) + source 1 * source 2); source 0: old result
    kMultiplyHalves,  ///< (source 0 * 256 + source 1) * source 2
    kShift,           ///< 16 bits: left by source 1, or right by -source 1 with source 0's sign
    kHighByte,        ///< source 0 / 256
};

/// One packed tensor of a fixed-point job.
struct FixedTensor {
    WalkTensor words;  ///< strides from word to word
    isa::FixedType type;
};

/// Tensor 0 is the destination, the others are the sources. `shape` counts batch elements.
struct FixedJob {
    FixedKernel kernel = FixedKernel::kAdd;
    isa::Dim4 shape;
    std::int32_t lanes = 0;
    int tensors = 0;
    std::array<FixedTensor, 4> tensor{};
    std::int32_t lshift = 0;
    std::int32_t rshift = 0;
};

void run_fixed(const FixedJob& job, LanePool& pool);

}  // namespace okksim::models
