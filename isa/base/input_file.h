// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace okksim {

/// True if the path is not a file on a disk: a folder, a device, a pipe, or a file of /proc.
/// The system creates the content of /proc during reading. False if the path does not exist.
bool may_have_no_end(const std::filesystem::path& path);
/// Throws ConfigError with `advice` after "not a regular file; " if may_have_no_end(path).
void refuse_endless(const std::filesystem::path& path, const std::string& advice);

/// Opens a regular file for reading. Devices and pipes are refused because they may block or never
/// end. Throws ConfigError with `advice` after "cannot be read; " on failure.
std::ifstream open_input(const std::filesystem::path& path, const std::string& advice);

/// True if brackets and braces outside of strings nest deeper than in any JSON of okksim. Nested
/// values are copied, printed and freed recursively. The limit bounds the stack that a foreign file
/// can use.
bool is_nested_deep(std::string_view json);

/// Returns the text of a regular JSON file. Throws ConfigError as open_input() does, and for deep
/// nesting.
std::string read_json_text(const std::filesystem::path& path, const std::string& advice);

}  // namespace okksim
