// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>

namespace okksim::sim {

/// A file's bytes without a copy; shared so that whoever keeps a view keeps the mapping.
struct MappedFile {
    std::shared_ptr<const void> owner;
    std::span<const std::byte> bytes;
};

/// Maps a regular file read-only. An empty file gives an empty span. ConfigError when the file is
/// missing, not a regular file or not readable.
MappedFile map_file(const std::filesystem::path& path);

/// ConfigError when a file that is mapped is another than it was when it was mapped: what was
/// computed from it means nothing. For one thread, the one that maps.
void check_mapped_files();

/// From now on a read behind the end of a mapped file that somebody has shortened ends the program
/// with a message that names the file, and this code; a SIGBUS of other origin ends it as ever.
void explain_shortened_files(int exit_code);

/// Says that bytes will not be read again soon: whole pages of them may leave host memory until
/// then.
void release_pages(std::span<const std::byte> bytes);

/// Takes pages of a mapped file out of the process; they come back, from the system's memory, when
/// they are read again. Bytes that are in no mapped file stay.
void unmap_pages(std::span<const std::byte> bytes);
/// The same with all mapped files.
void unmap_files();

}  // namespace okksim::sim
