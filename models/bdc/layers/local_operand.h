// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "isa/layout.h"
#include "isa/types.h"
#include "models/bdc/layers/scratch.h"
#include "models/memory/local_memory.h"

namespace okksim::models::bdc {

/// Host addresses of the channels of a local tensor. Offsets and strides count floats. Strides of
/// 2IC weights are given in 64-bit pairs and are doubled when the operand is made.
struct LocalOperand {
    float* base = nullptr;        ///< element (0, 0, 0, 0) if the tensor started in lane 0
    std::int64_t lane_pitch = 0;  ///< from a lane to the next
    std::int32_t start_lane = 0;
    std::int32_t lanes = 1;
    std::int64_t n_stride = 0;
    std::int64_t c_stride = 0;
    std::int64_t h_stride = 0;
    std::int64_t w_stride = 0;
    const float* begin = nullptr;  ///< host memory before it must not be read,
    const float* end = nullptr;    ///< nor from here on

    float* channel(std::int64_t n, std::int64_t c) const {
        const std::int64_t place = start_lane + c;
        return slot(n, place % lanes, place / lanes);
    }
    /// Returns the plane of a batch element in one lane's channel slot.
    float* slot(std::int64_t n, std::int64_t lane, std::int64_t channel_slot) const {
        return base + lane * lane_pitch + channel_slot * c_stride + n * n_stride;
    }
};

/// Offsets [low, high) in floats, relative to LocalOperand::base, that a tensor may touch in a
/// lane.
struct FloatInterval {
    std::int64_t low = 0;
    std::int64_t high = 0;
};

LocalOperand local_operand(LocalMemory& memory, isa::LocalAddr addr, const isa::Dim4& stride,
                           int floats_per_element = 1);

/// Returns the extent of a tensor of `shape`; `floats_per_element` as for local_operand.
FloatInterval touched(const LocalOperand& operand, const isa::Dim4& shape,
                      int floats_per_element = 1);

/// Makes a command behave as if it read all sources before it writes. A source that may share bytes
/// with the output is copied to `copy`, and `source` is redirected there. The test is conservative
/// (all lanes count as one). Without an overlap nothing happens.
void separate_from_output(LocalOperand& source, const FloatInterval& source_span,
                          const LocalOperand& output, const FloatInterval& output_span,
                          Scratch& copy);

}  // namespace okksim::models::bdc
