// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "models/bdc/fixed/fixed_rows.h"
#include "models/common/lane_pool.h"
#include "models/memory/lane_walk.h"

namespace okksim::models {

/// One packed tensor of a fixed-point job.
struct FixedTensor {
    WalkTensor words;  ///< strides from word to word
    isa::FixedType type;
};

/// Tensor 0 is the destination, the others are the sources. `shape` counts batch elements.
template <std::size_t kTensors>
struct FixedJob {
    FixedRow row = nullptr;
    isa::Dim4 shape;
    std::int32_t lanes = 0;
    std::array<FixedTensor, kTensors> tensor{};
    std::int32_t lshift = 0;
    std::int32_t rshift = 0;
};

/// Computes a job on every element. All batch elements of a word (of four elements when widths
/// differ) are read before any of them is written. Where the batch does not fill the last word, the
/// bytes of missing elements are not written.
template <std::size_t kTensors>
void run_fixed(const FixedJob<kTensors>& job, LanePool& pool);

}  // namespace okksim::models
