// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sim/check/comparison_rules.h"
#include "sim/graph/graph.h"
#include "sim/graph/host_tensor.h"
#include "tests/support/random_source.h"

namespace okksim::tests {

/// A graph of one operator with random types, shapes, attributes and values. Sometimes its inputs
/// pass through a 1x1 MAX_POOL2D first, which makes the planner keep them channel first.
struct RandomCase {
    sim::graph::Graph graph;
    std::vector<sim::graph::HostTensor> inputs;
    /// How outputs are judged against the reference.
    sim::check::Rule rule;
    bool rule_takes_bound = false;
    std::string text;  ///< operator, types, shapes, attributes
};

/// Operators that make_random_case() knows.
const std::vector<tosa::OpCode>& random_operators();

/// Legal by the specification, REQUIRE conditions included. `scale` bounds the extents: about
/// 4000 * scale elements per tensor.
RandomCase make_random_case(tosa::OpCode op, RandomSource& random, std::int64_t scale);

}  // namespace okksim::tests
