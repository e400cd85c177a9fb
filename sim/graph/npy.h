// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "sim/graph/graph.h"

namespace okksim::sim::graph {

/// An array of a .npy file (NumPy format 1.0 to 3.0): row-major, little-endian.
struct NpyArray {
    std::string descr;  ///< element type as the file spells it: "<f4", "|b1", "<V2", ...
    std::size_t element_bytes = 0;
    Shape shape;  ///< empty for a scalar
    std::span<const std::byte> data;
    std::shared_ptr<const void> owner;  ///< keeps `data` alive
};

/// Maps a .npy file. ConfigError with file, value and advice if the file is missing, damaged,
/// big-endian. Structured or object elements, and a length that contradicts the header, are errors,
/// too. The elements of a column-major file are put in row-major order.
NpyArray read_npy(const std::filesystem::path& path);
/// Parses the bytes of a .npy file in memory; messages contain `name`.
NpyArray parse_npy(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                   const std::string& name);

/// Writes format 1.0 with a header of 128 bytes (longer only if the shape requires it). ConfigError
/// if the file cannot be written.
void write_npy(const std::filesystem::path& path, const std::string& descr, const Shape& shape,
               std::span<const std::byte> data);

}  // namespace okksim::sim::graph
