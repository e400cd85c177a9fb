// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "sim/lab/manual/api_example.h"
#include "sim/lab/manual/api_functions.h"

namespace okksim::sim::manual {

ApiExample example_of(const ApiFunction& function);

/// Returns a C file with one kernel per function: example_okk_bdc_add and so on. Their argument
/// block is {output, input}, each 8192 bytes.
std::string example_file();

}  // namespace okksim::sim::manual
