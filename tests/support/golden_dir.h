// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace okksim::tests {

/// Folder of the golden vectors: $OKKSIM_GOLDEN_DIR, else ../shared/golden next to the source tree,
/// else std::nullopt. For tests that can also run without vectors.
std::optional<std::filesystem::path> golden_dir();

/// Folder for tests that need vectors and carry the tag [golden]. Without vectors it prints a
/// message, and the program counts as skipped.
std::optional<std::filesystem::path> needed_golden_dir();

/// Prints that a test lacks `what`; the program then exits with the code of a skipped test.
void skip_without(const std::string& what);
bool was_skipped();

}  // namespace okksim::tests
