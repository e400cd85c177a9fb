// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "firmware/calls/call_value.h"

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

}  // namespace okksim::sim::manual
