// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace okksim {

/// A fresh folder that goes with the object.
class TemporaryFolder {
 public:
    /// ConfigError when none can be made.
    TemporaryFolder();
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    const std::filesystem::path& path() const { return path_; }

 private:
    std::filesystem::path path_;
};

}  // namespace okksim
