// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "firmware/okk_features.h"
#include "kernels/prim/local_tensor.h"

/// Commands of ISA extensions beyond the API reference, on LocalTensors of words. Shapes are those
/// of dst; sources have the same shape (strides of 0 broadcast). Callers check Lanes::has() first.
namespace okksim::kernels::prim::native {

/// True if one command converts elements of one type to another.
inline bool converts(const Scratch& scratch) { return scratch.lanes().has(isa::Feature::kConvert); }

#define OKKSIM_PRIM_BINARY(name, function)                                                  \
    inline void name(const LocalTensor& dst, const LocalTensor& a, const LocalTensor& b) {  \
        function(dst.address, a.address, b.address, &dst.shape, dst.strides(), a.strides(), \
                 b.strides(), OKK_INT32, OKK_INT32, OKK_INT32, false);                      \
    }
OKKSIM_PRIM_BINARY(add, okk_bdc_int_add)
OKKSIM_PRIM_BINARY(subtract, okk_bdc_int_sub)
OKKSIM_PRIM_BINARY(maximum, okk_bdc_int_max)
OKKSIM_PRIM_BINARY(minimum, okk_bdc_int_min)
OKKSIM_PRIM_BINARY(divide, okk_bdc_int_div)
OKKSIM_PRIM_BINARY(shift_right, okk_bdc_int_shift_right)
OKKSIM_PRIM_BINARY(shift_right_round, okk_bdc_int_shift_right_round)
OKKSIM_PRIM_BINARY(shift_right_logical, okk_bdc_int_shift_right_logical)
#undef OKKSIM_PRIM_BINARY

inline void add(const LocalTensor& dst, const LocalTensor& a, std::int32_t c) {
    okk_bdc_int_add_C(dst.address, a.address, c, &dst.shape, dst.strides(), a.strides(), OKK_INT32,
                      OKK_INT32, false);
}
/// c - a.
inline void subtract_from(const LocalTensor& dst, const LocalTensor& a, std::int32_t c) {
    okk_bdc_int_C_sub(dst.address, a.address, c, &dst.shape, dst.strides(), a.strides(), OKK_INT32,
                      OKK_INT32, false);
}
inline void absolute(const LocalTensor& dst, const LocalTensor& a) {
    okk_bdc_int_abs(dst.address, a.address, &dst.shape, dst.strides(), a.strides(), OKK_INT32,
                    OKK_INT32);
}
inline void leading_zeros(const LocalTensor& dst, const LocalTensor& a) {
    okk_bdc_int_clz(dst.address, a.address, &dst.shape, dst.strides(), a.strides(), OKK_INT32,
                    OKK_INT32);
}
/// The low word of (a * b) >> shift, half up.
inline void multiply(const LocalTensor& dst, const LocalTensor& a, const LocalTensor& b,
                     int shift) {
    okk_bdc_int_mul(dst.address, a.address, b.address, &dst.shape, dst.strides(), a.strides(),
                    b.strides(), OKK_INT32, OKK_INT32, OKK_INT32, shift, false);
}

/// The low word of (a * b) >> shift, half up, saturated.
inline void multiply_saturated(const LocalTensor& dst, const LocalTensor& a, const LocalTensor& b,
                               int shift) {
    okk_bdc_int_mul(dst.address, a.address, b.address, &dst.shape, dst.strides(), a.strides(),
                    b.strides(), OKK_INT32, OKK_INT32, OKK_INT32, shift, true);
}

/// dst = a > b ? bits : 0. greater_equal() compares with >=.
inline void greater(const LocalTensor& dst, const LocalTensor& a, const LocalTensor& b,
                    std::uint32_t bits) {
    x32 value;
    value.u32 = bits;
    okk_bdc_int_greater(dst.address, a.address, b.address, value, &dst.shape, dst.strides(),
                        a.strides(), b.strides(), OKK_INT32, OKK_INT32, OKK_INT32);
}
inline void greater_equal(const LocalTensor& dst, const LocalTensor& a, const LocalTensor& b,
                          std::uint32_t bits) {
    x32 value;
    value.u32 = bits;
    okk_bdc_int_greater_equal(dst.address, a.address, b.address, value, &dst.shape, dst.strides(),
                              a.strides(), b.strides(), OKK_INT32, OKK_INT32, OKK_INT32);
}
/// dst = condition != 0 ? a : b.
inline void select(const LocalTensor& dst, const LocalTensor& condition, const LocalTensor& a,
                   const LocalTensor& b) {
    okk_bdc_int_select(dst.address, condition.address, a.address, b.address, &dst.shape,
                       dst.strides(), condition.strides(), a.strides(), b.strides(), OKK_INT32,
                       OKK_INT32, OKK_INT32, OKK_INT32);
}

/// Conversions between words and elements at `packed`, in the aligned layout of their width.
inline void widen(const LocalTensor& dst, okk_element_t dst_type, local_addr_t packed,
                  okk_element_t type) {
    okk_bdc_cast(dst.address, packed, &dst.shape, dst.strides(), nullptr, dst_type, type, false);
}
/// Packs the low bits of integers, or floating point rounded to nearest even and saturated.
inline void narrow(local_addr_t packed, okk_element_t type, const LocalTensor& a,
                   okk_element_t a_type) {
    okk_bdc_cast(packed, a.address, &a.shape, nullptr, a.strides(), type, a_type, false);
}
inline void cast(const LocalTensor& dst, okk_element_t dst_type, const LocalTensor& a,
                 okk_element_t a_type) {
    okk_bdc_cast(dst.address, a.address, &dst.shape, dst.strides(), a.strides(), dst_type, a_type,
                 false);
}

}  // namespace okksim::kernels::prim::native
