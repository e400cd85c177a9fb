// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "firmware/calls/call_value.h"
#include "tests/reference/okk/image.h"

namespace okksim::tests::reference {

struct Options {
    /// Follow the SDK where it contradicts the API reference.
    bool sdk_quirks = false;
};

/// Executes one command-issuing function of the API on an image, element by element, from its
/// formula. Arguments are in the API's order and must be valid. Throws std::invalid_argument for an
/// unknown function and std::out_of_range when an access leaves the image. Does not write work
/// tensors, because their contents are not documented.
void execute(Image& image, const std::string& function, const firmware::CallValues& arguments,
             const Options& options = {});

/// Sorted names of all functions that execute() supports.
std::vector<std::string> function_names();

}  // namespace okksim::tests::reference
