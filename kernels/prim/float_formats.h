// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "firmware/okk_features.h"
#include "kernels/prim/local_tensor.h"

/// Conversions between fp32 words and the bits of narrower formats, held in the low bits of words
/// (unpack_8bit / unpack_16bit with is_signed = false, pack_8bit / pack_16bit). Rounding is to
/// nearest, ties to even; overflow does not saturate (TOSA 1.0.1, 2.13.1 CAST). Denormals of fp16
/// and fp8 are exact both ways; fp32 and bf16 denormals keep their bits between the two.
namespace okksim::kernels::prim {

/// fp16 bits to fp32, exact. 13 commands.
inline constexpr int kWidenPlanes = 2;
void fp16_to_float(const LocalTensor& dst, const LocalTensor& a, Scratch& scratch);
/// bf16 bits to fp32, exact. One command.
void bf16_to_float(const LocalTensor& dst, const LocalTensor& a);
/// fp8 E4M3 bits to fp32, exact. 13 commands.
void fp8e4m3_to_float(const LocalTensor& dst, const LocalTensor& a, Scratch& scratch);
/// fp8 E5M2 bits to fp32, exact. 13 commands.
void fp8e5m2_to_float(const LocalTensor& dst, const LocalTensor& a, Scratch& scratch);

/// fp32 to fp16 bits. 20 commands.
inline constexpr int kNarrowPlanes = 4;
void float_to_fp16(const LocalTensor& dst, const LocalTensor& a, Scratch& scratch);
/// fp32 to bf16 bits. 14 commands.
void float_to_bf16(const LocalTensor& dst, const LocalTensor& a, Scratch& scratch);
/// fp32 to fp8 E4M3 bits; beyond 448 (464 and more before rounding) NaN. 17 commands.
void float_to_fp8e4m3(const LocalTensor& dst, const LocalTensor& a, Scratch& scratch);
/// fp32 to fp8 E5M2 bits; beyond 57344 infinity. 20 commands.
void float_to_fp8e5m2(const LocalTensor& dst, const LocalTensor& a, Scratch& scratch);

// ---- Packed fp16 and bf16, in the aligned layout of their width (convert.h). One command if the
// machine has the group convert, which treats denormals of bf16 as zeros. ----

/// Converts packed elements of OKK_FP16 or OKK_BF16 to fp32 words. Without the group convert:
/// unpack_16bit and 13 commands or one.
void unpack_half(const LocalTensor& dst, local_addr_t packed, okk_element_t type, Scratch& scratch);
/// Packs fp32 words, which are destroyed. Without the group: 20 or 14 commands and pack_16bit.
void pack_half(local_addr_t packed, const LocalTensor& words, okk_element_t type, Scratch& scratch);

/// int32 to bf16 bits with one rounding (fp32 in between would round twice). 28 commands. The other
/// formats may use int32_to_float: values that fp32 rounds are beyond their range.
inline constexpr int kInt32ToBf16Planes = 6;
void int32_to_bf16(const LocalTensor& dst, const LocalTensor& a, Scratch& scratch);

}  // namespace okksim::kernels::prim
