// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace okksim::sim::trace {

/// Lines of a text file, compressed with xz or plain, read and decompressed block by block: memory
/// does not grow with the file.
class LineSource {
 public:
    /// Throws ConfigError when the file cannot be read.
    explicit LineSource(const std::filesystem::path& path);
    ~LineSource();

    /// The next line without its end, valid until the next call, or nothing at the end of the file.
    /// Throws ConfigError, naming the line, when the compressed data are cut off or damaged and
    /// when a line is longer than any call's.
    std::optional<std::string_view> next();

    /// Number of the line that next() gave last, counted from 1.
    std::uint64_t line() const { return line_; }
    /// "file:line" for messages.
    std::string where() const;

 private:
    class Bytes;

    std::filesystem::path path_;
    std::unique_ptr<Bytes> bytes_;
    std::string text_;  ///< read, not yet given
    std::size_t at_ = 0;
    std::uint64_t line_ = 0;
};

}  // namespace okksim::sim::trace
