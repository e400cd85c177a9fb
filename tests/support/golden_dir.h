// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>

namespace okksim::tests {

/// Folder of the golden vectors: $OKKSIM_GOLDEN_DIR, else ../shared/golden beside the source tree,
/// else nothing. Tests print a clear skip when it is absent.
std::optional<std::filesystem::path> golden_dir();

}  // namespace okksim::tests
