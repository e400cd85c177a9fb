// SPDX-License-Identifier: Apache-2.0
#include "tests/support/golden_dir.h"

#include <cstdlib>
#include <iostream>

namespace okksim::tests {
namespace {

bool skipped = false;

}  // namespace

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

std::optional<std::filesystem::path> needed_golden_dir() {
    auto dir = golden_dir();
    if (!dir) skip_without("golden vectors (set OKKSIM_GOLDEN_DIR)");
    return dir;
}

void skip_without(const std::string& what) {
    std::cout << "skipped: no " << what << "\n";
    skipped = true;
}

bool was_skipped() { return skipped; }

}  // namespace okksim::tests
