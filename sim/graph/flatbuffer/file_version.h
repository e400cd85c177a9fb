// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace okksim::sim::graph {

/// Major and minor version of a TOSA FlatBuffer.
struct FileVersion {
    std::int32_t major = -1;
    std::int32_t minor = -1;
};

/// True when the identifier "TOSA" stands in its place.
bool is_tosa_flatbuffer(std::span<const std::byte> bytes);

/// The version stamp, or nothing when there is none in reach: the place of the stamp is the same in
/// all versions. Any bytes may be given.
std::optional<FileVersion> find_file_version(std::span<const std::byte> bytes);

}  // namespace okksim::sim::graph
