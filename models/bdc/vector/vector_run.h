// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "models/bdc/vector/vector_rows.h"
#include "models/common/lane_pool.h"
#include "models/memory/lane_walk.h"

namespace okksim::models {

/// Carries out `operation` on every element of `shape`. Tensor 0 is the destination, the others are
/// the sources in order, at most three. All tensors have 32-bit elements and start in the same
/// lane. Where source and destination overlap, elements are computed in ascending (n, c, h, w)
/// order, each from memory as the earlier ones left it.
template <std::size_t kTensors>
void run_vector(const VectorOperation& operation, const VectorParams& params,
                const isa::Dim4& shape, std::int32_t lanes,
                const std::array<WalkTensor, kTensors>& tensors, LanePool& pool);

}  // namespace okksim::models
