// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sim/graph/graph.h"

namespace okksim::sim::planning {

/// The readers of a block's values.
class ValueUses {
 public:
    explicit ValueUses(const graph::Block& block);

    /// Returns positions in Block::operators, ascending.
    const std::vector<std::uint32_t>& readers(graph::TensorIndex value) const {
        return readers_[value];
    }
    /// True if other blocks or the host read the value.
    bool leaves(graph::TensorIndex value) const { return leaves_[value]; }

 private:
    std::vector<std::vector<std::uint32_t>> readers_;
    std::vector<bool> leaves_;
};

}  // namespace okksim::sim::planning
