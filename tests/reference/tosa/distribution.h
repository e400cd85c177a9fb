// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tests/reference/tosa/tosa_reference.h"

namespace okksim::reference {

/// Distribution of a tensor's elements.
struct Distribution {
    double mean = 0.0;
    double deviation = 0.0;
    double least = 0.0;
    double greatest = 0.0;
    double at_low = 0.0;   ///< share of elements that equal the least value of an integer type
    double at_high = 0.0;  ///< ... the greatest
};
Distribution distribution_of(const Value& value);

/// Makes every computed float, int8 and int16 value of the main block an output, and removes all
/// other outputs. Returns their names with the operator: "t12 CONV2D".
std::vector<std::string> expose_layers(sim::graph::Graph& graph);

}  // namespace okksim::reference
