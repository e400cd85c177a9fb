// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sim/graph/graph.h"

namespace okksim::sim::planning {

/// Where the values of a block are read.
class ValueUses {
 public:
    explicit ValueUses(const graph::Block& block);

    /// Positions in Block::operators, ascending.
    const std::vector<std::uint32_t>& readers(graph::TensorIndex value) const {
        return readers_[value];
    }
    /// Other blocks or the host read the value.
    bool leaves(graph::TensorIndex value) const { return leaves_[value]; }

 private:
    std::vector<std::vector<std::uint32_t>> readers_;
    std::vector<bool> leaves_;
};

}  // namespace okksim::sim::planning
