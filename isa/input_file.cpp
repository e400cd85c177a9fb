// SPDX-License-Identifier: Apache-2.0
#include "isa/input_file.h"

#include "isa/errors.h"

namespace okksim {

std::ifstream open_input(const std::filesystem::path& path, const std::string& advice) {
    std::error_code none;
    const auto status = std::filesystem::status(path, none);
    if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
        throw ConfigError(path.string(), "not a regular file; " + advice);
    }
    std::ifstream file(path, std::ios::binary);
    if (!file) throw ConfigError(path.string(), "cannot be read; " + advice);
    return file;
}

}  // namespace okksim
