// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace okksim::sim::graph {

/// Makes a folder for output, and those above it. ConfigError when it cannot be made.
void make_folder(const std::filesystem::path& folder);

}  // namespace okksim::sim::graph
