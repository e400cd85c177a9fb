// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace okksim::sim::manual {

/// The manual of all functions; docs/API.md is this text.
std::string api_markdown();

/// The section of one function. ConfigError, with the name that may have been meant, when there is
/// none of that name.
std::string api_section(std::string_view function);

}  // namespace okksim::sim::manual
