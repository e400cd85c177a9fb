// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "firmware/calls/call_value.h"
#include "sim/manual/api_functions.h"

namespace okksim::sim::manual {

/// A call of a function: as C, and as data.
struct ApiExample {
    std::string before;  ///< declarations of its arguments, lines of C
    std::string call;    ///< the statement
    firmware::CallValues values;
    bool writes_output = false;  ///< its result lies in global memory
    bool reads_input = false;    ///< of global memory
    std::string fill;            ///< what the tensors in local memory hold, an expression of x32
};

ApiExample example_of(const ApiFunction& function);

/// A file of kernels in C, one for every function: example_okk_bdc_add and so on. Its argument
/// block is {output, input}, each 8192 bytes.
std::string example_file();

}  // namespace okksim::sim::manual
