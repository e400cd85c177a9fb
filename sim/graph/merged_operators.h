// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "sim/graph/graph.h"

namespace okksim::sim::graph {

/// The dimensions of an operator in groups of neighbours: sizes of the groups, outermost first.
using Groups = std::vector<std::size_t>;

/// Returns one number per group: the product of its dimensions.
Shape merged(const Shape& shape, const Groups& groups);

/// An operator with merged dimensions.
struct MergedOperator {
    Groups inputs;
    Groups results;
    Attributes attributes;
    std::vector<Shape> lists = {};  ///< new values of the operands after the first one
};

/// Merges all neighbouring dimensions that the operator permits to merge. Nothing for operators
/// that work on few dimensions, or whose lists are unknown before the run.
std::optional<MergedOperator> merged_operator(const Block& block, const Operator& op);

}  // namespace okksim::sim::graph
