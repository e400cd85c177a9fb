// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace okksim {

/// A new folder that is removed with the object.
class TemporaryFolder {
 public:
    /// Throws ConfigError if no folder can be created.
    TemporaryFolder();
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    const std::filesystem::path& path() const { return path_; }

 private:
    std::filesystem::path path_;
};

}  // namespace okksim
