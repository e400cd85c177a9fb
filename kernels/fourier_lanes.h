// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "kernels/fourier_pass.h"

/// Transforms that fit a lane: the passes that kernels/fourier_pass.h is made of.
namespace okksim::kernels {

/// Longest transform that fits a lane together with factors; a power of two.
std::int64_t longest_lane_transform();

/// exp(-2 pi i k / n), or its conjugate; exact at multiples of a quarter turn.
std::pair<float, float> root_of_unity(std::int64_t k, std::int64_t n, bool inverse);
/// cos and sin of one turn's first half: what transforms of `length` take.
std::vector<float> root_table(std::int64_t length, bool inverse);

/// Transforms every line of `from` into `to`. `table` is the address of root_table(size.length) in
/// system memory; results are multiplied by `factors` (unless null), which have the strides of
/// `to`.
void transform_in_lanes(const FourierSize& size, const ComplexRegion& from, const ComplexRegion& to,
                        const ComplexRegion* factors, std::uint64_t table);

}  // namespace okksim::kernels
