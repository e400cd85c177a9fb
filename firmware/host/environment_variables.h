// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace okksim::firmware::host {

/// Returns the text of an environment variable; empty if there is none.
std::string environment_text(const char* name);

/// Returns whether a variable is the second of two words; an unset variable counts as the first.
/// ConfigError names the variable if it is neither.
bool environment_switch(const char* name, std::string_view first = "0",
                        std::string_view second = "1");

}  // namespace okksim::firmware::host
