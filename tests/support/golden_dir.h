// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace okksim::tests {

/// Folder of the golden vectors: $OKKSIM_GOLDEN_DIR, else ../shared/golden beside the source tree,
/// else nothing. For tests that use vectors when they are there.
std::optional<std::filesystem::path> golden_dir();

/// The same for tests that are nothing without vectors, which carry the tag [golden]: without them
/// it says so, and the program counts as skipped.
std::optional<std::filesystem::path> needed_golden_dir();

/// Says that a test lacks `what`; the program then ends with the code of a skipped test.
void skip_without(const std::string& what);
bool was_skipped();

}  // namespace okksim::tests
