// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sim/graph/graph.h"

namespace okksim::sim::bound {

/// Operators of a block that run together, and the values that must be in global memory afterwards.
/// Their inputs are in global memory before they start.
struct BoundScope {
    const graph::Block& block;
    std::vector<std::uint32_t> operators;  ///< positions in Block::operators, ascending
    std::vector<graph::TensorIndex> wanted;
    /// True for a separate launch, whose inputs and outputs are row major. A step of a launch, in
    /// contrast, starts when the commands of the previous step are issued, and its values can have
    /// any order.
    bool is_launch = false;
};

}  // namespace okksim::sim::bound
