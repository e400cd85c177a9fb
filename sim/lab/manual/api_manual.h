// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace okksim::sim::manual {

/// Returns the manual of all functions, which is the text of docs/reference/okk-functions.md.
std::string api_markdown();

/// Returns the section of one function. For an unknown name, throws ConfigError with a suggestion.
std::string api_section(std::string_view function);

}  // namespace okksim::sim::manual
