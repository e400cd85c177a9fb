// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "kernels/fourier_pass.h"

/// Transforms that fit a lane: the passes that kernels/fourier_pass.h is made of.
namespace okksim::kernels {

/// Longest transform that fits a lane together with factors; a power of two.
std::int64_t longest_lane_transform();

/// Transforms every line of `from` into `to`. `table` has roots of size.length, or of a multiple
/// of it; results are multiplied by `factors` (unless null), which have the strides of `to`.
void transform_in_lanes(const FourierSize& size, const ComplexRegion& from, const ComplexRegion& to,
                        const ComplexRegion* factors, const RootTable& table);

}  // namespace okksim::kernels
