// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>

/// What subcommands write.
namespace okksim::sim::cli {

/// To standard output.
void print_json(const nlohmann::ordered_json& json);

/// A file that an option names, opened before the work whose result it gets, so that a path that
/// cannot be written is told at once. An empty path is no file.
class OutputFile {
 public:
    /// `flag` is the option. ConfigError when the file cannot be written.
    OutputFile(std::string flag, std::string path);

    /// True when the option was given.
    explicit operator bool() const { return !path_.empty(); }
    /// Replaces the file's content; nothing without a file. ConfigError when that fails.
    void write(const std::string& text) const;

 private:
    std::string flag_;
    std::string path_;
};

/// "12/80 tests" on standard error while a terminal looks on; gone at the end.
class Progress {
 public:
    explicit Progress(std::string unit);
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    void show(std::size_t done, std::size_t all) const;

 private:
    std::string unit_;
    bool is_watched_;
};

}  // namespace okksim::sim::cli
