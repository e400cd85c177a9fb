// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sim/check/comparison_rules.h"
#include "sim/graph/graph.h"
#include "sim/graph/host_tensor.h"
#include "tests/support/random_source.h"

namespace okksim::tests {

/// A graph of one operator with random types, shapes, attributes and values. In some cases its
/// inputs first pass through a 1x1 MAX_POOL2D, so that the planner keeps them channel first.
struct RandomCase {
    sim::graph::Graph graph;
    std::vector<sim::graph::HostTensor> inputs;
    /// Comparison of outputs with the reference.
    sim::check::Rule rule;
    bool rule_takes_bound = false;
    std::string text;  ///< operator, types, shapes, attributes
};

/// Operators that make_random_case() supports.
const std::vector<tosa::OpCode>& random_operators();

/// Returns a case that is legal by the specification, including REQUIRE conditions. `scale` bounds
/// the extents: about 4000 * scale elements per tensor.
RandomCase make_random_case(tosa::OpCode op, RandomSource& random, std::int64_t scale);

}  // namespace okksim::tests
