// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace okksim::tests {

/// A file that exists while the object lives.
class TemporaryFile {
 public:
    explicit TemporaryFile(const std::string& contents, const std::string& suffix = "")
        : path_(std::filesystem::temp_directory_path() /
                ("okksim_" + std::to_string(getpid()) + "_" + std::to_string(next()) + suffix)) {
        std::ofstream(path_, std::ios::binary) << contents;
    }
    ~TemporaryFile() { std::filesystem::remove(path_); }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;

    const std::filesystem::path& path() const { return path_; }
    std::string read() const {
        std::ifstream file(path_, std::ios::binary);
        return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    }

 private:
    static int next() {
        static int count = 0;
        return count++;
    }
    std::filesystem::path path_;
};

}  // namespace okksim::tests
