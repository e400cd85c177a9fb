// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "firmware/calls/call_value.h"
#include "tests/reference/okk/image.h"

namespace okksim::tests::reference {

struct Options {
    /// Where the SDK contradicts the API reference, do what the SDK does.
    bool sdk_quirks = false;
};

/// Carries out one command-issuing function of the API on an image, element by element, from its
/// formula. Arguments in the API's order; they must be valid. Throws std::invalid_argument for an
/// unknown function and std::out_of_range when an access leaves the image. Work tensors are left
/// alone: their contents are not documented.
void execute(Image& image, const std::string& function, const firmware::CallValues& arguments,
             const Options& options = {});

/// Names of all functions that execute() knows, sorted.
std::vector<std::string> function_names();

}  // namespace okksim::tests::reference
