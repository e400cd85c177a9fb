// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "firmware/calls/call_value.h"

namespace okksim::firmware {

/// Calls a documented function of okk.h by its name, on the thread's current context. Arguments in
/// the API's order; output parameters (dim4 *) take a nullptr and come back in CallResult::stride.
/// Throws std::invalid_argument when there is no such function or an argument does not fit the
/// parameter's type, and what the function throws.
CallResult call_function(std::string_view name, const CallValues& arguments);

/// Names of all 119 documented functions, sorted.
std::vector<std::string> documented_functions();

}  // namespace okksim::firmware
