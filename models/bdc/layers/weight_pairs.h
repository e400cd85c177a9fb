// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace okksim::models::bdc {

/// Weights of one output channel in their layout in local memory: pairs of input channels,
/// `pair_step` floats apart. Each has the pairs of all its taps in sequence.
struct WeightPairs {
    const float* from = nullptr;
    std::int64_t pair_step = 0;
    std::int64_t pairs = 0;
    std::int64_t taps = 0;
    const float* next = nullptr;  ///< weights to copy next, from another lane
    std::int64_t next_to = 0;     ///< distance in floats from this destination to the next one
};

/// Copies the weights so that the pairs of a tap are neighbours; `tap_step`: floats from tap to
/// tap.
void copy_by_taps(const WeightPairs& weights, float* to, std::int64_t tap_step);

}  // namespace okksim::models::bdc
