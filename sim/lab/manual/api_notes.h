// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sim/lab/manual/api_functions.h"

namespace okksim::sim::manual {

/// Returns restrictions of a function's domain beyond the ranges of its operands; may be empty.
std::vector<std::string> domains_of(const ApiFunction& function);
/// Returns the meaning of NULL for each pointer.
std::vector<std::string> null_arguments_of(const ApiFunction& function);
/// Returns the sizes of results, weights and biases that the shapes of arguments determine.
std::vector<std::string> tensors_of(const ApiFunction& function);
/// Returns limits that are in the API reference but that the model does not need.
std::vector<std::string> limits_of(const ApiFunction& function);
/// Returns common mistakes of kernels and their symptoms.
std::vector<std::string> mistakes_of(const ApiFunction& function);

}  // namespace okksim::sim::manual
