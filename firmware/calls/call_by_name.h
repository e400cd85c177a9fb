// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "firmware/calls/call_value.h"

namespace okksim::firmware {

/// Calls a function of okk.h by its name, on the thread's current context. The arguments have the
/// API's order. Output parameters (dim4 *) take a nullptr and come back in CallResult::stride. An
/// operand of a selection is an integer: its bits, and 2^32 more for the address of a tensor.
/// Functions that return pointers are unknown. Throws std::invalid_argument for an unknown function
/// or an argument of the wrong type, and the exceptions of the function.
CallResult call_function(std::string_view name, const CallValues& arguments);

/// Names of all 119 documented functions, sorted.
std::vector<std::string> documented_functions();

}  // namespace okksim::firmware
