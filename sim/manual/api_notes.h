// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sim/manual/api_functions.h"

namespace okksim::sim::manual {

/// What a function is defined for beyond the ranges of its operands; empty: everything.
std::vector<std::string> domains_of(const ApiFunction& function);
/// Limits that the API reference states and the model does not need.
std::vector<std::string> limits_of(const ApiFunction& function);
/// What kernels get wrong, and how that shows.
std::vector<std::string> mistakes_of(const ApiFunction& function);

}  // namespace okksim::sim::manual
