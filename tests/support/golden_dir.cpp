// SPDX-License-Identifier: Apache-2.0
#include "tests/support/golden_dir.h"

#include <cstdlib>

namespace okksim::tests {

std::optional<std::filesystem::path> golden_dir() {
    if (const char* dir = std::getenv("OKKSIM_GOLDEN_DIR")) {
        return std::filesystem::path(dir);
    }
    if (const char* source = std::getenv("OKKSIM_SOURCE_DIR")) {
        const auto candidate = std::filesystem::path(source).parent_path() / "shared" / "golden";
        if (std::filesystem::is_directory(candidate)) return candidate;
    }
    return std::nullopt;
}

}  // namespace okksim::tests
