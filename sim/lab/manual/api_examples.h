// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "firmware/calls/call_value.h"
#include "sim/lab/manual/api_functions.h"

namespace okksim::sim::manual {

/// A call of a function as C text and as data.
struct ApiExample {
    std::string before;  ///< C lines that declare the arguments
    std::string call;    ///< the statement
    firmware::CallValues values;
    bool writes_output = false;  ///< its result is in global memory
    bool reads_input = false;    ///< in global memory
    std::string fill;            ///< value of the tensors in local memory, an x32 expression
};

ApiExample example_of(const ApiFunction& function);

/// Returns a C file with one kernel per function: example_okk_bdc_add and so on. Their argument
/// block is {output, input}, each 8192 bytes.
std::string example_file();

}  // namespace okksim::sim::manual
