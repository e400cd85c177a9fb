// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>

namespace okksim::sim::graph {

/// A file's bytes without a copy; shared so that whoever keeps a view keeps the mapping.
struct MappedFile {
    std::shared_ptr<const void> owner;
    std::span<const std::byte> bytes;
};

/// Maps a regular file read-only. An empty file gives an empty span. ConfigError when the file is
/// missing, not a regular file or not readable.
MappedFile map_file(const std::filesystem::path& path);

/// Says that bytes will not be read again soon: whole pages of them may leave host memory until
/// then.
void release_pages(std::span<const std::byte> bytes);

}  // namespace okksim::sim::graph
