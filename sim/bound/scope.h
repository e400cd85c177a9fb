// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sim/graph/graph.h"

namespace okksim::sim::bound {

/// Operators of a block that are carried out together, and what of them is wanted in global memory
/// afterwards. What they take of others is there before.
struct BoundScope {
    const graph::Block& block;
    std::vector<std::uint32_t> operators;  ///< positions in Block::operators, ascending
    std::vector<graph::TensorIndex> wanted;
    /// A launch of its own, which is given and gives back what lies as the specification lists its
    /// dimensions. Steps of a launch begin when the one before has issued its commands, and take
    /// and leave values in any order.
    bool is_launch = false;
};

}  // namespace okksim::sim::bound
