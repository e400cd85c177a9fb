// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace okksim::sim::cli {

/// The arguments with flags as help names them: what was in scripts before goes on working, in no
/// help and no completion.
std::vector<std::string> in_current_spelling(const std::vector<std::string>& arguments);

}  // namespace okksim::sim::cli
