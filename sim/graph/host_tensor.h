// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sim/graph/graph.h"
#include "sim/graph/npy.h"

namespace okksim::sim::graph {

/// A tensor's value on the host, as in .npy files. Elements are row-major and little-endian, and
/// take host_element_bytes(type) bytes each. The encoding of constants (DType) differs in two
/// types:
///   kI4   one sign-extended value per byte
///   kI48  int64 per value
/// The element types of .npy files are:
///   bool        "|b1"
///   i4, i8      "|i1"
///   i16         "<i2"
///   i32         "<i4"
///   i48, shape  "<i8"
///   fp32        "<f4"
///   fp16        "<f2"
///   bf16        "<V2" (bits)
///   fp8e4m3     "<V1" (bits)
///   fp8e5m2     "|u1" (bits)
struct HostTensor {
    DType type = DType::kUnknown;
    Shape shape;
    std::span<const std::byte> data;
    std::shared_ptr<const void> owner;  ///< keeps `data` alive
    /// kI8 and kI16: the file elements are uint8 or uint16 ("|u1", "<u2") with the same bits.
    bool is_unsigned = false;
    /// The file type of the 64-bit elements of a kI48 ("<i8" for kNone).
    FileWords words = FileWords::kNone;
};

/// Returns the bytes of one element of a HostTensor.
std::size_t host_element_bytes(DType type);
/// Returns the .npy element type that is written for `type`.
std::string npy_descr(DType type, bool is_unsigned = false, FileWords words = FileWords::kNone);

/// Returns a tensor that owns its bytes; their number must match type and shape.
HostTensor make_host_tensor(DType type, Shape shape, std::vector<std::byte> data);

/// Reads a .npy file as a tensor of the given type and shape. ConfigError if the file's element
/// type or shape differs; the message has both.
HostTensor load_tensor(const std::filesystem::path& path, DType type, const Shape& shape,
                       bool is_unsigned = false);
/// Reads a value of a graph in the graph's representation.
HostTensor load_tensor(const std::filesystem::path& path, const Tensor& like);
/// Converts an array of any shape. Messages contain `name`.
HostTensor to_host_tensor(const NpyArray& array, DType type, const std::string& name,
                          bool is_unsigned = false, FileWords words = FileWords::kNone);
/// Converts a graph's value to the file representation: word pairs become 64-bit elements.
HostTensor to_file_form(HostTensor value, const Tensor& like);
/// Returns the tensor with permuted dimensions.
HostTensor transposed(const HostTensor& tensor, const std::vector<std::size_t>& perms);
/// Returns the kind of 64-bit elements that a .npy element type denotes.
FileWords words_of(const std::string& descr);
/// Reads a .npy file of int64 values in one dimension, as the value of a shape.
std::vector<std::int64_t> load_shape(const std::filesystem::path& path);
void save_tensor(const std::filesystem::path& path, const HostTensor& tensor);

/// Returns the value of a constant (has_data). If the encodings are equal, the bytes are shared,
/// and `owner` (Graph::storage) must keep them alive.
HostTensor constant_value(DType type, const Shape& shape, std::span<const std::byte> data);
/// The bytes without type and shape; a repeated element stays one. `owner` keeps bytes alive that
/// the graph does not own.
struct HostBytes {
    ConstantData data;
    std::shared_ptr<const void> owner;
};
HostBytes host_bytes(DType type, const Shape& shape, const ConstantData& data);
/// Converts the value back to a constant's bytes.
std::vector<std::byte> constant_bytes(const HostTensor& tensor);

}  // namespace okksim::sim::graph
