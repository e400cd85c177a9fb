// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "kernels/prim/local_tensor.h"

/// Conversions between storage widths and words, and between int32 and fp32. Rules as in integer.h.
namespace okksim::kernels::prim {

// ---- Narrow storage. Packed tensors hold `shape` elements of 8 or 16 bits in the layout of GDMA
// loads: the aligned layout of their width. Word tensors are in the 32-bit aligned layout. Their
// padding up to the next multiple of four elements is read and written. ----

/// Bytes per lane of a packed tensor of `bits`-wide elements that starts in lane 0.
constexpr std::uint32_t packed_bytes(const dim4& shape, int bits, const Lanes& lanes) {
    const std::int64_t bytes = std::int64_t{shape.h} * shape.w * (bits / 8);
    return static_cast<std::uint32_t>(shape.n * lanes.slots(shape.c) *
                                      lanes.whole_line_bytes(bytes));
}

/// Words from int8 or uint8. 4 quarter-size commands and 1.
void unpack_8bit(const LocalTensor& dst, local_addr_t packed, bool is_signed, Scratch& scratch);
/// Words from int16 or uint16. 2 half-size commands and 1.
void unpack_16bit(const LocalTensor& dst, local_addr_t packed, bool is_signed, Scratch& scratch);
/// fp32 from int8 (the commands of unpack_8bit) or uint8 (two more).
void unpack_8bit_to_float(const LocalTensor& dst, local_addr_t packed, bool is_signed,
                          Scratch& scratch);
/// fp32 from int16 or uint16: two commands more than unpack_16bit.
void unpack_16bit_to_float(const LocalTensor& dst, local_addr_t packed, bool is_signed,
                           Scratch& scratch);
/// Low 8 bits of every word. 9 quarter-size commands.
inline constexpr int kPackPlanes = 2;
void pack_8bit(local_addr_t packed, const LocalTensor& a, Scratch& scratch);
/// Low 16 bits of every word. 3 half-size commands.
void pack_16bit(local_addr_t packed, const LocalTensor& a, Scratch& scratch);
/// int8 from fp32 integers in -128..127. 9 quarter-size commands, and a small one where h * w is
/// not a multiple of four.
void pack_float_to_8bit(local_addr_t packed, const LocalTensor& a, Scratch& scratch);
/// uint8 from fp32 integers in 0..255. 8 quarter-size commands and the small one.
void pack_float_to_unsigned_8bit(local_addr_t packed, const LocalTensor& a, Scratch& scratch);

// ---- int32 and fp32. ----

enum class Half { kLow, kHigh };

/// fp32 of a 16-bit half of a word, as uint16, times 2^unit. 3 commands, no scratch. dst may be a.
void unsigned_half_to_float(const LocalTensor& dst, const LocalTensor& a, Half half, int unit);
/// fp32 of the high half as int16, times 2^unit. 3 commands, no scratch. dst may be a.
void signed_high_half_to_float(const LocalTensor& dst, const LocalTensor& a, int unit);
/// fp32 of the low half as int16 whatever the high half is, times 2^unit. 3 commands.
void signed_low_half_to_float(const LocalTensor& dst, const LocalTensor& a, int unit);

/// fp32 of int32, rounded to nearest even.
inline constexpr int kInt32ToFloatPlanes = 1, kInt32ToFloatCommands = 7;
void int32_to_float(const LocalTensor& dst, const LocalTensor& a, Scratch& scratch);
/// fp32 of int32 in -2^22 .. 2^22-1, exact. 3 commands, no scratch.
void small_int32_to_float(const LocalTensor& dst, const LocalTensor& a);
/// int32 of fp32, rounded to nearest even, saturated; NaN gives 2^31-1.
inline constexpr int kRoundToInt32Planes = 3, kRoundToInt32Commands = 7;
void round_to_int32(const LocalTensor& dst, const LocalTensor& a, Scratch& scratch);
/// int32 of fp32, rounded to nearest even and clamped to [low, high], a range that fp32 holds
/// exactly. 9 commands.
void round_to_int32(const LocalTensor& dst, const LocalTensor& a, float low, float high,
                    Scratch& scratch);

/// int48 as two words (low, high; the high word is sign-extended), as in memory.
struct WideTensor {
    LocalTensor low;
    LocalTensor high;
};
/// Views of a tensor of int48 (two words per element, low first) with `shape` elements. Its words
/// are at `address` in the aligned layout of the shape (n, c, h, 2w).
WideTensor interleaved_words(local_addr_t address, const dim4& shape, const Lanes& lanes);

}  // namespace okksim::kernels::prim
