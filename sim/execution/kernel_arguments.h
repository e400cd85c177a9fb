// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "sim/graph/graph.h"
#include "sim/graph/npy.h"

namespace okksim::sim {

/// A kernel's argument block, which is laid out field by field like a struct of a C compiler.
class ArgumentBlock {
 public:
    /// `packed`: fields have no gaps (__attribute__((packed))).
    explicit ArgumentBlock(bool packed) : packed_(packed) {}

    /// Appends a field from "TYPE=VALUE": i8 u8 i16 u16 i32 u32 i64 u64 f32 f64. Throws ConfigError
    /// if the type is unknown or the value does not fit.
    void add_text(const std::string& text);
    void add_address(std::uint64_t address) { add(&address, sizeof address); }

    /// Returns the block with the trailing padding of a C struct.
    std::vector<std::byte> bytes() const;

 private:
    void add(const void* value, std::size_t size);

    bool packed_;
    std::size_t alignment_ = 1;
    std::vector<std::byte> bytes_;
};

/// An output buffer, "FILE.npy:TYPE[d0,d1,...]" with TYPE f32 f16 i32 u32 i16 u16 i8 u8.
struct OutputBuffer {
    std::filesystem::path file;
    std::string descr;
    graph::Shape shape;
    std::uint64_t bytes = 0;
    std::uint64_t address = 0;
};
OutputBuffer parse_output(const std::string& text);

}  // namespace okksim::sim
