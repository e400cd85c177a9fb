// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace okksim::sim::gate {

/// The filters of a baseline that has only some of the cases. Its folder keeps them in a file, so
/// that a comparison tells cases that were not selected from missing ones.
class FilterFile {
 public:
    /// Reads the file of a folder. Without a file, the folder has all cases. Throws ConfigError if
    /// the file is damaged.
    explicit FilterFile(const std::filesystem::path& folder);

    /// True if a recording with these filters has the case.
    bool selects(const std::string& name) const;
    /// Adds the filter of a recording that begins. A folder with all cases keeps them.
    void begin(const std::string& filter);
    /// Removes the file after a recording of all cases.
    void complete();

 private:
    std::filesystem::path path_;
    std::vector<std::string> filters_;
};

}  // namespace okksim::sim::gate
