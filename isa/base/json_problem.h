// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <string>

namespace okksim {

/// Returns the reason of an exception of nlohmann-json in the words of okksim's messages, such as
/// "it is no JSON at line 2, column 7", "the key 'name' is missing".
std::string json_problem(const std::exception& error);

}  // namespace okksim
