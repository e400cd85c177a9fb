// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace okksim::tosa {

/// Data types of TOSA 1.0.1, section 1.9. The values are those of the DType enumeration in .tosa
/// files. Integers are signless; an operator says when it reads them as unsigned.
///
/// Format of an element in a constant's bytes (Tensor::data), row-major and little-endian.
///   kBool             One byte; zero is false, every other value is true.
///   kI4               Two elements per byte, two's complement, -7..7. Element 2i is the low nibble
///                     and 2i+1 the high one. An odd count leaves the last high nibble unused.
///   kI8 kI16 kI32     1, 2, 4 bytes, two's complement.
///   kI48              6 bytes: the low 48 bits of the two's complement value; sign-extend on read.
///   kFp32             4 bytes, IEEE-754 binary32.
///   kFp16 kBf16       2 bytes, the bit pattern (binary16; the upper half of binary32).
///   kFp8E4M3 kFp8E5M2 1 byte, the OCP-OFP8 bit pattern.
///   kShape            8 bytes, int64, one per value.
/// The bytes may end with padding: take the number of elements from the shape.
enum class DType : std::uint8_t {
    kUnknown = 0,
    kBool = 1,
    kI4 = 2,
    kI8 = 3,
    kI16 = 4,
    kI32 = 5,
    kI48 = 6,
    kFp32 = 7,
    kFp16 = 8,
    kBf16 = 9,
    kShape = 10,
    kFp8E4M3 = 11,
    kFp8E5M2 = 12,
};
inline constexpr int kDTypeCount = 13;

/// The specification's name: "bool_t", "i4_t", ... "fp8e5m2_t", "shape_t"; "unknown" for kUnknown.
std::string_view dtype_name(DType type);
/// Bits of one element as stored in a constant (kBool 8, kI4 4, kI48 48, kShape 64); 0 for
/// kUnknown.
int storage_bits(DType type);
/// Bytes that `elements` packed elements take, rounded up to whole bytes (kI4: two per byte).
/// Elements must be at most 2^58.
std::uint64_t storage_bytes(DType type, std::uint64_t elements);
/// True for kI4, kI8, kI16, kI32, kI48.
bool is_integer(DType type);
/// True for kFp8E4M3, kFp8E5M2, kFp16, kBf16, kFp32.
bool is_floating_point(DType type);

/// Section 3.1.
enum class ResizeMode : std::uint8_t { kUnknown = 0, kNearestNeighbor = 1, kBilinear = 2 };
/// Section 3.4.
enum class NanPropagationMode : std::uint8_t { kUnknown = 0, kPropagate = 1, kIgnore = 2 };
/// Section 3.5.
enum class RoundingMode : std::uint8_t {
    kUnknown = 0,
    kSingleRound = 1,
    kInexactRound = 2,
    kDoubleRound = 3
};

/// Operators of TOSA 1.0.1; the values are those of the Op enumeration in .tosa files.
enum class OpCode : std::uint8_t {
#define OKKSIM_OP_CODE(enumerator, number, ...) enumerator = number,
#include "kernels/tosa/op_codes.def"
#undef OKKSIM_OP_CODE
};
/// The operators' values are 1 ... kOpCodeCount.
inline constexpr int kOpCodeCount = 0
#define OKKSIM_OP_CODE(...) +1
#include "kernels/tosa/op_codes.def"
#undef OKKSIM_OP_CODE
    ;

/// The specification's name, e.g. "AVG_POOL2D".
std::string_view op_name(OpCode op);
/// The specification's section, e.g. "2.3.2".
std::string_view op_section(OpCode op);

}  // namespace okksim::tosa
