// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

namespace okksim {

/// Opens a regular file for reading: a device or a pipe may have no end, or never a beginning.
/// ConfigError, with `advice` behind "cannot be read; ", when it is none or cannot be read.
std::ifstream open_input(const std::filesystem::path& path, const std::string& advice);

}  // namespace okksim
