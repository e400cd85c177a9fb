// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sim/graph/graph.h"

namespace okksim::sim::graph::compose {

/// A dimension's label. Letters are their codes; dimensions of the ellipsis are negative, and -1
/// is the last one.
using Label = int;

/// An einsum equation with the labels of each operand and of the result.
struct EinsumEquation {
    std::vector<std::vector<Label>> operands;
    std::vector<Label> result;
    std::map<Label, std::int64_t> sizes;
    std::string problem;  ///< empty if the equation fits the operands
};

EinsumEquation parse_einsum(std::string_view equation, const std::vector<Shape>& operands);

}  // namespace okksim::sim::graph::compose
