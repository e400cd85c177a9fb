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

/// A tensor's value on the host: elements row-major, little-endian, one per
/// host_element_bytes(type) bytes, as in .npy files. It differs from the encoding of constants
/// (DType) in two types:
///   kI4   one sign-extended value per byte
///   kI48  int64 per value
/// .npy element types: bool "|b1", i4 and i8 "|i1", i16 "<i2", i32 "<i4", i48 and shape "<i8",
/// fp32 "<f4", fp16 "<f2", bf16 "<V2" (bits), fp8e4m3 "<V1" (bits), fp8e5m2 "|u1" (bits).
struct HostTensor {
    DType type = DType::kUnknown;
    Shape shape;
    std::span<const std::byte> data;
    std::shared_ptr<const void> owner;  ///< keeps `data` alive
    /// kI8 and kI16: the elements are uint8 or uint16 in files ("|u1", "<u2"); the same bits.
    bool is_unsigned = false;
    /// What the 64-bit elements of a kI48 are in files ("<i8" when kNone).
    FileWords words = FileWords::kNone;
};

/// Bytes of one element of a HostTensor.
std::size_t host_element_bytes(DType type);
/// The .npy element type that is written for `type`.
std::string npy_descr(DType type, bool is_unsigned = false, FileWords words = FileWords::kNone);

/// A tensor that owns its bytes; their number must fit type and shape.
HostTensor make_host_tensor(DType type, Shape shape, std::vector<std::byte> data);

/// Reads a .npy file as a tensor of the given type and shape. ConfigError, naming what the file has
/// and what is wanted, when it has another element type or shape.
HostTensor load_tensor(const std::filesystem::path& path, DType type, const Shape& shape,
                       bool is_unsigned = false);
/// The same for a value of a graph, as the graph holds it.
HostTensor load_tensor(const std::filesystem::path& path, const Tensor& like);
/// The same for an array that has been read; any shape. `name` stands in messages.
HostTensor to_host_tensor(const NpyArray& array, DType type, const std::string& name,
                          bool is_unsigned = false, FileWords words = FileWords::kNone);
/// A value of a graph as files hold it: pairs of words become 64-bit elements.
HostTensor to_file_form(HostTensor value, const Tensor& like);
/// The same tensor with its dimensions in another order.
HostTensor transposed(const HostTensor& tensor, const std::vector<std::size_t>& perms);
/// What a .npy element type says of 64-bit elements.
FileWords words_of(const std::string& descr);
/// Reads a .npy file of int64 values in one dimension: the value of a shape.
std::vector<std::int64_t> load_shape(const std::filesystem::path& path);
void save_tensor(const std::filesystem::path& path, const HostTensor& tensor);

/// The value of a constant (has_data). Shares the bytes where the encodings agree; `owner` must
/// then keep them alive (Graph::storage).
HostTensor constant_value(DType type, const Shape& shape, std::span<const std::byte> data);
/// The bytes alone, one value for all as it is; `owner` keeps what the graph does not.
struct HostBytes {
    ConstantData data;
    std::shared_ptr<const void> owner;
};
HostBytes host_bytes(DType type, const Shape& shape, const ConstantData& data);
/// The reverse: a constant's bytes.
std::vector<std::byte> constant_bytes(const HostTensor& tensor);

}  // namespace okksim::sim::graph
