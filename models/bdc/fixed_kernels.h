// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "models/common/lane_pool.h"
#include "models/common/lane_walk.h"

namespace okksim::models {

enum class FixedKernel : std::uint8_t {
    kAdd,
    kSubtract,
    kMultiply,
    kMaximum,
    kMinimum,
    kMultiplyAdd,      ///< source 0 is the old destination
    kArithmeticShift,  ///< 16 bits
    kLogicalShift,     ///< 16 bits
    kMultiplyHalves,   ///< (source 0 * 256 + source 1) * source 2
    kHighByte,
};

/// One packed tensor of a fixed-point job.
struct FixedTensor {
    WalkTensor words;  ///< strides from word to word
    isa::FixedType type;
};

/// Tensor 0 is the destination. `shape` counts batch elements, not words.
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
