// SPDX-License-Identifier: Apache-2.0
#include "isa/base/input_file.h"

#include <linux/magic.h>
#include <sys/statfs.h>

#include <iterator>

#include "isa/base/errors.h"
#include "isa/base/output_file.h"

namespace okksim {
namespace {

/// Deepest nesting of JSON that is read. The files of okksim and of the specification have fewer
/// than ten levels.
constexpr int kMostNesting = 64;

/// True for a file of /proc. The system creates its content during reading, perhaps without an end.
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
    note_read_file(path);
    return file;
}

bool is_nested_deep(std::string_view json) {
    int depth = 0;
    bool in_string = false;
    for (std::size_t i = 0; i < json.size(); ++i) {
        const char c = json[i];
        if (in_string) {
            if (c == '\\') ++i;  // the escaped character ends no string
            in_string = c != '"';
        } else if (c == '"') {
            in_string = true;
        } else if (c == '[' || c == '{') {
            if (++depth > kMostNesting) return true;
        } else if (c == ']' || c == '}') {
            --depth;
        }
    }
    return false;
}

std::string read_json_text(const std::filesystem::path& path, const std::string& advice) {
    std::ifstream file = open_input(path, advice);
    std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    if (file.bad()) throw ConfigError(path.string(), "cannot be read; " + advice);
    if (is_nested_deep(text)) {
        throw ConfigError(path.string(), "is nested more than " + std::to_string(kMostNesting) +
                                             " levels deep; JSON files of okksim are flatter; " +
                                             advice);
    }
    return text;
}

}  // namespace okksim
