// SPDX-License-Identifier: Apache-2.0
#include "isa/input_file.h"

#include <linux/magic.h>
#include <sys/statfs.h>

#include "isa/errors.h"

namespace okksim {
namespace {

/// What a regular path shows may be made by the system while it is read, without an end.
bool is_made_by_system(const std::filesystem::path& path) {
    struct statfs system {};
    return statfs(path.c_str(), &system) == 0 && system.f_type == PROC_SUPER_MAGIC;
}

}  // namespace

bool may_have_no_end(const std::filesystem::path& path) {
    std::error_code none;
    const auto status = std::filesystem::status(path, none);
    if (!std::filesystem::exists(status)) return false;
    return !std::filesystem::is_regular_file(status) || is_made_by_system(path);
}

void refuse_endless(const std::filesystem::path& path, const std::string& advice) {
    if (may_have_no_end(path)) throw ConfigError(path.string(), "not a regular file; " + advice);
}

std::ifstream open_input(const std::filesystem::path& path, const std::string& advice) {
    refuse_endless(path, advice);
    std::ifstream file(path, std::ios::binary);
    if (!file) throw ConfigError(path.string(), "cannot be read; " + advice);
    return file;
}

}  // namespace okksim
