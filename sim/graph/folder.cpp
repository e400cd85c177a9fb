// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/folder.h"

#include "isa/errors.h"

namespace okksim::sim::graph {

void make_folder(const std::filesystem::path& folder) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) {
        throw ConfigError(folder.string(), "is no folder and cannot be made: " + error.message());
    }
}

}  // namespace okksim::sim::graph
