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

/// True if the bytes have the identifier "TOSA".
bool is_tosa_flatbuffer(std::span<const std::byte> bytes);

/// Returns the version stamp, whose position is the same in all versions. Returns nothing if the
/// bytes have no readable stamp. Accepts any bytes.
std::optional<FileVersion> find_file_version(std::span<const std::byte> bytes);

}  // namespace okksim::sim::graph
