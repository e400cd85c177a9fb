// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>

#include "kernels/prim/local_tensor.h"

/// Single okk commands on LocalTensors. Shapes come from dst; sources have the same shape (strides
/// of 0 broadcast). dst may be a source. fp32 arithmetic flushes denormals; `bit_` functions do
/// not.
namespace okksim::kernels::prim::raw {

inline x32 word(std::uint32_t bits) {
    x32 value;
    value.u32 = bits;
    return value;
}

inline void copy(const LocalTensor& dst, const LocalTensor& a) {
    okk_bdc_32bit_cpy(dst.address, a.address, &dst.shape, dst.strides(), a.strides());
}
inline void fill(const LocalTensor& dst, std::uint32_t bits) {
    okk_bdc_32bit_set_C(dst.address, word(bits), &dst.shape, dst.strides());
}
inline void fill(const LocalTensor& dst, float value) {
    fill(dst, std::bit_cast<std::uint32_t>(value));
}

#define OKKSIM_PRIM_BINARY(name, function)                                                  \
    inline void name(const LocalTensor& dst, const LocalTensor& a, const LocalTensor& b) {  \
        function(dst.address, a.address, b.address, &dst.shape, dst.strides(), a.strides(), \
                 b.strides());                                                              \
    }
OKKSIM_PRIM_BINARY(add, okk_bdc_add)
OKKSIM_PRIM_BINARY(subtract, okk_bdc_sub)
OKKSIM_PRIM_BINARY(multiply, okk_bdc_mul)
OKKSIM_PRIM_BINARY(multiply_add, okk_bdc_mac)  ///< dst += a * b, product rounded first
OKKSIM_PRIM_BINARY(maximum, okk_bdc_max)       ///< a > b ? a : b, denormal results flushed
OKKSIM_PRIM_BINARY(minimum, okk_bdc_min)       ///< a <= b ? a : b
OKKSIM_PRIM_BINARY(bit_and, okk_bdc_32bit_and)
OKKSIM_PRIM_BINARY(bit_or, okk_bdc_32bit_or)
OKKSIM_PRIM_BINARY(bit_xor, okk_bdc_32bit_xor)
OKKSIM_PRIM_BINARY(shift_arithmetic, okk_bdc_32bit_arithmetic_shift)  ///< left by b, right by -b
OKKSIM_PRIM_BINARY(shift_logical, okk_bdc_32bit_logical_shift)        ///< left by b, right by -b
#undef OKKSIM_PRIM_BINARY

#define OKKSIM_PRIM_CONSTANT(name, function)                                         \
    inline void name(const LocalTensor& dst, const LocalTensor& a, float c) {        \
        function(dst.address, a.address, c, &dst.shape, dst.strides(), a.strides()); \
    }
OKKSIM_PRIM_CONSTANT(add, okk_bdc_add_C)
OKKSIM_PRIM_CONSTANT(subtract, okk_bdc_sub_C)
OKKSIM_PRIM_CONSTANT(subtract_from, okk_bdc_C_sub)  ///< c - a
OKKSIM_PRIM_CONSTANT(multiply, okk_bdc_mul_C)
OKKSIM_PRIM_CONSTANT(multiply_add, okk_bdc_mac_C)  ///< dst += a * c, product rounded first
OKKSIM_PRIM_CONSTANT(maximum, okk_bdc_max_C)
OKKSIM_PRIM_CONSTANT(minimum, okk_bdc_min_C)
#undef OKKSIM_PRIM_CONSTANT

/// dst = a * factor + addend, both compact [1, C, 1, 1] vectors; product rounded first.
inline void scale_channels(const LocalTensor& dst, const LocalTensor& a, local_addr_t factors,
                           local_addr_t addends) {
    okk_bdc_scale_bias(dst.address, a.address, factors, addends, &dst.shape, dst.strides(),
                       a.strides());
}

#define OKKSIM_PRIM_BITS(name, function)                                                      \
    inline void name(const LocalTensor& dst, const LocalTensor& a, std::uint32_t bits) {      \
        function(dst.address, a.address, word(bits), &dst.shape, dst.strides(), a.strides()); \
    }
OKKSIM_PRIM_BITS(bit_and, okk_bdc_32bit_and_C)
OKKSIM_PRIM_BITS(bit_or, okk_bdc_32bit_or_C)
OKKSIM_PRIM_BITS(bit_xor, okk_bdc_32bit_xor_C)
#undef OKKSIM_PRIM_BITS

inline void shift_left(const LocalTensor& dst, const LocalTensor& a, int bits) {
    okk_bdc_32bit_logical_shift_C(dst.address, a.address, bits, &dst.shape, dst.strides(),
                                  a.strides());
}
inline void shift_right_logical(const LocalTensor& dst, const LocalTensor& a, int bits) {
    okk_bdc_32bit_logical_shift_C(dst.address, a.address, -bits, &dst.shape, dst.strides(),
                                  a.strides());
}
inline void shift_right_arithmetic(const LocalTensor& dst, const LocalTensor& a, int bits) {
    okk_bdc_32bit_arithmetic_shift_C(dst.address, a.address, -bits, &dst.shape, dst.strides(),
                                     a.strides());
}

/// dst = a > b ? bits : 0 (fp32 comparison, false for NaN).
inline void select_greater(const LocalTensor& dst, const LocalTensor& a, const LocalTensor& b,
                           std::uint32_t bits) {
    okk_bdc_greater_select_value(dst.address, a.address, b.address, word(bits), &dst.shape,
                                 dst.strides(), a.strides(), b.strides());
}
inline void select_greater(const LocalTensor& dst, const LocalTensor& a, float c,
                           std::uint32_t bits) {
    okk_bdc_greater_C_select_value(dst.address, a.address, c, word(bits), &dst.shape, dst.strides(),
                                   a.strides());
}
/// dst = a < c ? bits : 0.
inline void select_less(const LocalTensor& dst, const LocalTensor& a, float c, std::uint32_t bits) {
    okk_bdc_C_greater_select_value(dst.address, a.address, c, word(bits), &dst.shape, dst.strides(),
                                   a.strides());
}
/// dst = a and b are the same bits ? bits : 0.
inline void select_equal(const LocalTensor& dst, const LocalTensor& a, const LocalTensor& b,
                         std::uint32_t bits) {
    okk_bdc_equal_select_value(dst.address, a.address, b.address, word(bits), &dst.shape,
                               dst.strides(), a.strides(), b.strides());
}
inline void select_equal(const LocalTensor& dst, const LocalTensor& a, std::uint32_t pattern,
                         std::uint32_t bits) {
    okk_bdc_equal_C_select_value(dst.address, a.address, std::bit_cast<float>(pattern), word(bits),
                                 &dst.shape, dst.strides(), a.strides());
}

/// Truncation toward zero, saturated. Both tensors in the aligned layout.
inline void to_int32(const LocalTensor& dst, const LocalTensor& a) {
    okk_bdc_fp32_to_int32(dst.address, a.address, &dst.shape);
}
/// fp32 of the low 8 bits as int8. Both tensors in the aligned layout.
inline void byte_to_float(const LocalTensor& dst, const LocalTensor& a) {
    okk_bdc_lookup_int32_to_fp32(dst.address, a.address, &dst.shape);
}
/// Within 5 ulp for 2^-60 <= |a| <= 2^60.
inline void reciprocal_estimate(const LocalTensor& dst, const LocalTensor& a) {
    okk_bdc_reciprocal(dst.address, a.address, &dst.shape, dst.strides(), a.strides());
}
/// Within 3 ulp for 2^-60 <= a <= 2^60. Both tensors in the aligned layout.
inline void rsqrt_estimate(const LocalTensor& dst, const LocalTensor& a) {
    okk_bdc_rsqrt(dst.address, a.address, &dst.shape);
}

/// Shape of a word tensor seen as pairs of 16-bit numbers (2N mode: low half first).
inline dim4 halves(const LocalTensor& tensor) {
    dim4 shape = tensor.shape;
    shape.n *= 2;
    return shape;
}
/// Both halves of every word: unsigned sum, saturated.
inline void halves_add(const LocalTensor& dst, const LocalTensor& a, const LocalTensor& b) {
    const dim4 shape = halves(dst);
    okk_bdc_fixed_point_packed_add(dst.address, a.address, b.address, &shape, dst.strides(),
                                   a.strides(), b.strides(), U16_OP_U16_TO_U16, 0);
}
/// Both halves of every word: difference to int16, saturated; operands uint16 or int16 by `type`.
inline void halves_subtract(const LocalTensor& dst, const LocalTensor& a, const LocalTensor& b,
                            op_type_t type) {
    const dim4 shape = halves(dst);
    okk_bdc_fixed_point_packed_sub(dst.address, a.address, b.address, &shape, dst.strides(),
                                   a.strides(), b.strides(), type, 0);
}
/// Both halves of every word clamped to [low, high] as int16: two commands.
inline void halves_clamp(const LocalTensor& dst, const LocalTensor& a, int low, int high) {
    const dim4 shape = halves(dst);
    okk_bdc_fixed_point_packed_max_C(dst.address, a.address, low, &shape, dst.strides(),
                                     a.strides(), S16_OP_S16_TO_S16);
    okk_bdc_fixed_point_packed_min_C(dst.address, dst.address, high, &shape, dst.strides(),
                                     dst.strides(), S16_OP_S16_TO_S16);
}
/// All four bytes of every word clamped to [low, high] as int8: two commands.
inline void bytes_clamp(const LocalTensor& dst, const LocalTensor& a, int low, int high) {
    dim4 shape = dst.shape;
    shape.n *= 4;
    okk_bdc_fixed_point_packed_max_C(dst.address, a.address, low, &shape, dst.strides(),
                                     a.strides(), S8_OP_S8_TO_S8);
    okk_bdc_fixed_point_packed_min_C(dst.address, dst.address, high, &shape, dst.strides(),
                                     dst.strides(), S8_OP_S8_TO_S8);
}
/// Both halves of every word shifted right, zeros moving in.
inline void halves_shift_right(const LocalTensor& dst, const LocalTensor& a, int bits) {
    const dim4 shape = halves(dst);
    okk_bdc_fixed_point_packed_16bit_logical_shift_C(
        dst.address, a.address, static_cast<short>(-bits), &shape, dst.strides(), a.strides());
}

}  // namespace okksim::kernels::prim::raw
