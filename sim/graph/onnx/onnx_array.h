// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "sim/graph/graph.h"

namespace okksim::sim::graph::onnx {

/// Element types with the numbers of the format.
enum class ElementType : std::uint8_t {
    kUndefined = 0,
    kFloat32 = 1,
    kUint8 = 2,
    kInt8 = 3,
    kUint16 = 4,
    kInt16 = 5,
    kInt32 = 6,
    kInt64 = 7,
    kString = 8,
    kBool = 9,
    kFloat16 = 10,
    kFloat64 = 11,
    kUint32 = 12,
    kUint64 = 13,
    kComplex64 = 14,
    kComplex128 = 15,
    kBfloat16 = 16,
    kFloat8E4M3Fn = 17,
    kFloat8E4M3Fnuz = 18,
    kFloat8E5M2 = 19,
    kFloat8E5M2Fnuz = 20,
    kUint4 = 21,
    kInt4 = 22,
};

/// Returns the type of this number; kUndefined for an unknown number.
ElementType element_type(std::int64_t number);
/// Returns the format's name, such as "float" or "int64".
std::string_view element_name(ElementType type);
/// Returns the bytes of an element of a HostArray (4-bit integers take a byte); 0 for strings,
/// complex numbers and unknown types.
std::size_t element_bytes(ElementType type);
bool is_real(ElementType type);
/// True for integers of any size and sign, not for kBool.
bool is_whole(ElementType type);
bool is_unsigned(ElementType type);
/// Returns bits of an integer type.
int integer_bits(ElementType type);

/// The type that holds elements in the graph:
///   kUint8            kI8, as the value minus 128
///   kUint16           kI32
///   kInt64, kUint64, kUint32   kI32, as the low word
///   kUint4, kInt4     kI8
/// kUnknown for types that the chip cannot hold: kFloat64, strings, complex numbers.
DType device_type(ElementType type);
/// Returns what is subtracted from an element to hold it in the graph: 128 for kUint8, otherwise 0.
std::int64_t device_offset(ElementType type);

/// A value that is known before the run, row-major and little-endian. Bytes without an owner belong
/// to the mapped file.
struct HostArray {
    ElementType type = ElementType::kUndefined;
    Shape shape;
    std::span<const std::byte> bytes;
    std::shared_ptr<const void> owner;

    std::size_t count() const;
};

/// Returns all elements of an array of integers or kBool.
std::vector<std::int64_t> integers(const HostArray& array);
/// Returns all elements of an array of numbers or kBool.
std::vector<double> reals(const HostArray& array);

/// Make arrays. Integers keep their low bits; real numbers are rounded to nearest even.
HostArray make_array(ElementType type, Shape shape, const std::vector<std::int64_t>& values);
HostArray make_array(ElementType type, Shape shape, const std::vector<double>& values);
/// Makes an array that owns its bytes.
HostArray make_array(ElementType type, Shape shape, std::vector<std::byte> bytes);

/// Rearranges elements of any type: dimension i of the result is dimension perms[i] of the array.
HostArray transposed(const HostArray& array, const std::vector<std::size_t>& perms);
/// Returns the same elements with another shape.
HostArray reshaped(HostArray array, Shape shape);

/// Returns the elements in the encoding of a constant of device_type(array.type). The bytes of the
/// array if they have this encoding; otherwise, new bytes of `graph`. Returns nothing if an integer
/// does not fit into 32 bits.
std::optional<ConstantData> device_bytes(Graph& graph, const HostArray& array);

}  // namespace okksim::sim::graph::onnx
