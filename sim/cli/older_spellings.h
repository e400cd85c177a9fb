// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace okksim::sim::cli {

/// Returns the arguments with current flag names. Old names in scripts continue to work, but help
/// and completion do not show them.
std::vector<std::string> in_current_spelling(const std::vector<std::string>& arguments);

}  // namespace okksim::sim::cli
