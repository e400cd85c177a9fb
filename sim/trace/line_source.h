// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace okksim::sim::trace {

/// Reads lines of a text file, plain or compressed with xz, block by block. Memory use does not
/// grow with the file.
class LineSource {
 public:
    /// Throws ConfigError if the file cannot be read.
    explicit LineSource(const std::filesystem::path& path);
    ~LineSource();

    /// Returns the next line without its line end, valid until the next call; nothing at the end of
    /// the file. Throws ConfigError with the line if the compressed data are cut off or damaged, or
    /// if a line is too long.
    std::optional<std::string_view> next();

    /// Number of the last line from next(), counted from 1.
    std::uint64_t line() const { return line_; }
    /// "file:line" for messages.
    std::string where() const;

 private:
    class Bytes;

    std::filesystem::path path_;
    std::unique_ptr<Bytes> bytes_;
    std::string text_;  ///< read, but not yet returned
    std::size_t at_ = 0;
    std::uint64_t line_ = 0;
};

}  // namespace okksim::sim::trace
