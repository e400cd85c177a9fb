// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace okksim {

/// Whether the path leads to something else than a file on a disk: a folder, a device, a pipe, what
/// the system makes while it is read (/proc). False where there is nothing.
bool may_have_no_end(const std::filesystem::path& path);
/// ConfigError, with `advice` behind "not a regular file; ", when it may have none.
void refuse_endless(const std::filesystem::path& path, const std::string& advice);

/// Opens a regular file for reading: a device or a pipe may have no end, or never a beginning.
/// ConfigError, with `advice` behind "cannot be read; ", when it is none or cannot be read.
std::ifstream open_input(const std::filesystem::path& path, const std::string& advice);

/// Whether brackets and braces outside of strings stand deeper within each other than in any JSON
/// of okksim. Values that are nested are copied, printed and let go by calls within calls:
/// somebody's file must not choose how much stack that takes.
bool is_nested_deep(std::string_view json);

/// The text of a regular JSON file, to be parsed. ConfigError as of open_input(), and when it is
/// nested deep.
std::string read_json_text(const std::filesystem::path& path, const std::string& advice);

}  // namespace okksim
