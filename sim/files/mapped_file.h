// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>

namespace okksim::sim {

/// The bytes of a mapped file. Sharing `owner` keeps the mapping alive.
struct MappedFile {
    std::shared_ptr<const void> owner;
    std::span<const std::byte> bytes;
};

/// Maps a regular file read-only. An empty file gives an empty span. ConfigError if the file is
/// missing, not a regular file or not readable.
MappedFile map_file(const std::filesystem::path& path);

/// ConfigError if a mapped file has changed since it was mapped, as results computed from it are
/// then invalid. Only the thread that maps files may call this.
void check_mapped_files();

/// Installs a SIGBUS handler. A read past the end of a mapped file that became shorter then ends
/// the program with a message and `exit_code`. SIGBUS from other causes keeps its default action.
void explain_shortened_files(int exit_code);

/// Tells the kernel that the bytes are not needed soon, so that their whole pages may leave memory.
void release_pages(std::span<const std::byte> bytes);

/// Removes pages of a mapped file from the process. The next read restores them from the system's
/// cache. Bytes outside mapped files are not affected.
void unmap_pages(std::span<const std::byte> bytes);
/// Removes the pages of all mapped files.
void unmap_files();

}  // namespace okksim::sim
