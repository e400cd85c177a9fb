// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tests/reference/tosa/tosa_reference.h"

namespace okksim::reference {

/// How a tensor's elements are distributed.
struct Distribution {
    double mean = 0.0;
    double deviation = 0.0;
    double least = 0.0;
    double greatest = 0.0;
    double at_low = 0.0;   ///< share of elements that equal the least value of an integer type
    double at_high = 0.0;  ///< ... the greatest
};
Distribution distribution_of(const Value& value);

/// Makes every float, int8 and int16 value of the main block that an operator computes an output,
/// and nothing else. Their names with the operator: "t12 CONV2D".
std::vector<std::string> expose_layers(sim::graph::Graph& graph);

}  // namespace okksim::reference
