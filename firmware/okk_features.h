/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/* Instructions beyond the API reference. They form ISA extensions, which a machine has or lacks:
 * section [features] of its file. C99 and C++. The rules of okk.h hold. A NULL stride is the
 * 128-Byte Aligned Layout of the element type, or the Continuous Layout in system memory. A NULL
 * padding is none, and a NULL step is (1, 1). A source with a stride of 0 repeats its elements. An
 * instruction that the machine lacks ends the launch with a report that names the extension. Call
 * okk_has_feature() first.
 *
 * Every tensor has the element type that the call gives for it, in any mix. Integers are computed
 * in 64 bits. A result keeps the low bits of its type. With `saturates` it is the nearest value of
 * the type. Commands of the compute engine read all sources before they write anything. GDMA copies
 * (okk_gdma_) proceed element by element, so source and destination must not overlap. A NaN becomes
 * the greatest integer of a type. */

#include "okk_types.h" /* next to this file, in the source tree and installed */

#ifdef __cplusplus
#define okksim_enum enum : unsigned int
extern "C" {
#else
#define okksim_enum enum
#endif

/** Element types. OKK_INT48: an accumulator, sign-extended to 64 bits. */
typedef okksim_enum{OKK_INT8 = 0,  OKK_UINT8 = 1, OKK_INT16 = 2, OKK_UINT16 = 3, OKK_INT32 = 4,
                    OKK_INT48 = 5, OKK_FP16 = 6,  OKK_BF16 = 7,  OKK_FP32 = 8} okk_element_t;

/** ISA extensions. */
typedef okksim_enum{
    OKK_FEATURE_BASE = 0,          OKK_FEATURE_INT8_MAC = 1,   OKK_FEATURE_REQUANTISE = 2,
    OKK_FEATURE_FUSED_RESCALE = 3, OKK_FEATURE_INT_ALU = 4,    OKK_FEATURE_LOOKUP = 5,
    OKK_FEATURE_CONVERT = 6,       OKK_FEATURE_DMA_LAYOUT = 7, OKK_FEATURE_DMA_INDEX = 8,
    OKK_FEATURE_HALF_MAC = 9,      OKK_FEATURE_INT16_MAC = 10} okk_feature_t;
#undef okksim_enum

/** True if the machine has the extension. */
bool okk_has_feature(okk_feature_t feature);

/* ---- int_alu: integers of 8, 16 and 32 bits. ---- */

/** dst = src0 + src1. */
void okk_bdc_int_add(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                     const dim4* shape, const dim4* dst_stride, const dim4* src0_stride,
                     const dim4* src1_stride, okk_element_t dst_type, okk_element_t src0_type,
                     okk_element_t src1_type, bool saturates);

/** dst = src + C. */
void okk_bdc_int_add_C(local_addr_t dst_addr, local_addr_t src_addr, int C, const dim4* shape,
                       const dim4* dst_stride, const dim4* src_stride, okk_element_t dst_type,
                       okk_element_t src_type, bool saturates);

/** dst = src0 - src1. */
void okk_bdc_int_sub(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                     const dim4* shape, const dim4* dst_stride, const dim4* src0_stride,
                     const dim4* src1_stride, okk_element_t dst_type, okk_element_t src0_type,
                     okk_element_t src1_type, bool saturates);

/** dst = C - src. */
void okk_bdc_int_C_sub(local_addr_t dst_addr, local_addr_t src_addr, int C, const dim4* shape,
                       const dim4* dst_stride, const dim4* src_stride, okk_element_t dst_type,
                       okk_element_t src_type, bool saturates);

/** dst = src0 > src1 ? src0 : src1. */
void okk_bdc_int_max(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                     const dim4* shape, const dim4* dst_stride, const dim4* src0_stride,
                     const dim4* src1_stride, okk_element_t dst_type, okk_element_t src0_type,
                     okk_element_t src1_type, bool saturates);

/** dst = src > C ? src : C. */
void okk_bdc_int_max_C(local_addr_t dst_addr, local_addr_t src_addr, int C, const dim4* shape,
                       const dim4* dst_stride, const dim4* src_stride, okk_element_t dst_type,
                       okk_element_t src_type, bool saturates);

/** dst = src0 < src1 ? src0 : src1. */
void okk_bdc_int_min(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                     const dim4* shape, const dim4* dst_stride, const dim4* src0_stride,
                     const dim4* src1_stride, okk_element_t dst_type, okk_element_t src0_type,
                     okk_element_t src1_type, bool saturates);

/** dst = src < C ? src : C. */
void okk_bdc_int_min_C(local_addr_t dst_addr, local_addr_t src_addr, int C, const dim4* shape,
                       const dim4* dst_stride, const dim4* src_stride, okk_element_t dst_type,
                       okk_element_t src_type, bool saturates);

/** dst = |src|, wrapped. */
void okk_bdc_int_abs(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                     const dim4* dst_stride, const dim4* src_stride, okk_element_t dst_type,
                     okk_element_t src_type);

/** dst = (src0 * src1 + 2^(rshift-1)) >> rshift of the 64-bit product. No sum for rshift = 0. */
void okk_bdc_int_mul(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                     const dim4* shape, const dim4* dst_stride, const dim4* src0_stride,
                     const dim4* src1_stride, okk_element_t dst_type, okk_element_t src0_type,
                     okk_element_t src1_type, int rshift, bool saturates);

/** dst = src0 << (low 5 bits of src1). */
void okk_bdc_int_shift_left(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                            const dim4* shape, const dim4* dst_stride, const dim4* src0_stride,
                            const dim4* src1_stride, okk_element_t dst_type,
                            okk_element_t src0_type, okk_element_t src1_type, bool saturates);

/** dst = src0 >> (low 5 bits of src1), arithmetic. */
void okk_bdc_int_shift_right(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                             const dim4* shape, const dim4* dst_stride, const dim4* src0_stride,
                             const dim4* src1_stride, okk_element_t dst_type,
                             okk_element_t src0_type, okk_element_t src1_type, bool saturates);

/** dst = src0 >> (low 5 bits of src1), arithmetic, plus the last bit shifted out. */
void okk_bdc_int_shift_right_round(local_addr_t dst_addr, local_addr_t src0_addr,
                                   local_addr_t src1_addr, const dim4* shape,
                                   const dim4* dst_stride, const dim4* src0_stride,
                                   const dim4* src1_stride, okk_element_t dst_type,
                                   okk_element_t src0_type, okk_element_t src1_type,
                                   bool saturates);

/** dst = src0 >> (low 5 bits of src1), logical. */
void okk_bdc_int_shift_right_logical(local_addr_t dst_addr, local_addr_t src0_addr,
                                     local_addr_t src1_addr, const dim4* shape,
                                     const dim4* dst_stride, const dim4* src0_stride,
                                     const dim4* src1_stride, okk_element_t dst_type,
                                     okk_element_t src0_type, okk_element_t src1_type,
                                     bool saturates);

/** dst = src0 > src1 ? select_val : 0. */
void okk_bdc_int_greater(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                         x32 select_val, const dim4* shape, const dim4* dst_stride,
                         const dim4* src0_stride, const dim4* src1_stride, okk_element_t dst_type,
                         okk_element_t src0_type, okk_element_t src1_type);

/** dst = src0 >= src1 ? select_val : 0. */
void okk_bdc_int_greater_equal(local_addr_t dst_addr, local_addr_t src0_addr,
                               local_addr_t src1_addr, x32 select_val, const dim4* shape,
                               const dim4* dst_stride, const dim4* src0_stride,
                               const dim4* src1_stride, okk_element_t dst_type,
                               okk_element_t src0_type, okk_element_t src1_type);

/** dst = src0 == src1 ? select_val : 0. */
void okk_bdc_int_equal(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                       x32 select_val, const dim4* shape, const dim4* dst_stride,
                       const dim4* src0_stride, const dim4* src1_stride, okk_element_t dst_type,
                       okk_element_t src0_type, okk_element_t src1_type);

/** dst = src0 != 0 ? src1 : src2. */
void okk_bdc_int_select(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                        local_addr_t src2_addr, const dim4* shape, const dim4* dst_stride,
                        const dim4* src0_stride, const dim4* src1_stride, const dim4* src2_stride,
                        okk_element_t dst_type, okk_element_t src0_type, okk_element_t src1_type,
                        okk_element_t src2_type);

/** dst = src0 / src1 truncated toward zero; 0 where src1 is 0. */
void okk_bdc_int_div(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                     const dim4* shape, const dim4* dst_stride, const dim4* src0_stride,
                     const dim4* src1_stride, okk_element_t dst_type, okk_element_t src0_type,
                     okk_element_t src1_type, bool saturates);

/** dst = number of leading zeros of src in the width of its type. */
void okk_bdc_int_clz(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                     const dim4* dst_stride, const dim4* src_stride, okk_element_t dst_type,
                     okk_element_t src_type);

/* ---- requantise: a multiplier and a shift. ---- */

/** dst = ((src - input_zp) * multiplier + rounding) >> shift, saturated to int32 with output_zp
 * added, limited to [low, high]. Every element has a multiplier and a shift. */
void okk_bdc_rescale(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t multiplier_addr,
                     local_addr_t shift_addr, const dim4* shape, const dim4* dst_stride,
                     const dim4* src_stride, const dim4* factor_stride, okk_element_t dst_type,
                     okk_element_t src_type, int input_zp, int output_zp, int low, int high,
                     bool rounds_twice);

/** okk_bdc_rescale with one multiplier and one shift for all elements. */
void okk_bdc_rescale_C(local_addr_t dst_addr, local_addr_t src_addr, int multiplier, int rshift,
                       const dim4* shape, const dim4* dst_stride, const dim4* src_stride,
                       okk_element_t dst_type, okk_element_t src_type, int input_zp, int output_zp,
                       int low, int high, bool rounds_twice);

/* ---- lookup: tables at one offset in every lane. ---- */

/** dst = table[v + 128], where v is the low 8 bits of src as int8. 256 entries of int8 per lane. */
void okk_bdc_lookup8(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t table_addr,
                     const dim4* shape, const dim4* dst_stride, const dim4* src_stride,
                     okk_element_t dst_type, okk_element_t src_type);

/** dst = (table[i] << 7) + (table[i+1] - table[i]) * f. i = (v + 32768) >> 7 and f = v & 127, where
 * v is the low 16 bits of src as int16. The table has 513 entries of int16 in every lane. */
void okk_bdc_lookup16(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t table_addr,
                      const dim4* shape, const dim4* dst_stride, const dim4* src_stride,
                      okk_element_t dst_type, okk_element_t src_type);

/* ---- convert. ---- */

/** dst = src in another type, rounded half to even. Integer results saturate; without `saturates`,
 * integers of integers wrap. */
void okk_bdc_cast(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                  const dim4* dst_stride, const dim4* src_stride, okk_element_t dst_type,
                  okk_element_t src_type, bool saturates);

/* ---- int8_mac (with rescales: fused_rescale; with inputs of 16 bits: int16_mac). ---- */

/** 2D convolution: sums of (input - input_zp) * (weight - weight_zp), added to the bias or the old
 * result, wrapped. Padding is input_zp. With `rescales` each channel has a multiplier and a shift
 * for its sums, as in bdc.rescale without input_zp. */
void okk_bdc_int_conv2d(local_addr_t output_addr, local_addr_t input_addr, local_addr_t weight_addr,
                        local_addr_t bias_addr, local_addr_t factor_addr, const dim4* input_shape,
                        int output_c, int kernel_h, int kernel_w, bool using_bias, bool rescales,
                        bool result_add, const Padding* padding, const dim2* stride,
                        const dim2* dilation, okk_element_t output_type, okk_element_t input_type,
                        int input_zp, int weight_zp, int output_zp, int low, int high,
                        bool rounds_twice);

/** 2D depthwise convolution with the rules of okk_bdc_int_conv2d. */
void okk_bdc_int_depthwise2d(local_addr_t output_addr, local_addr_t input_addr,
                             local_addr_t weight_addr, local_addr_t bias_addr,
                             local_addr_t factor_addr, const dim4* input_shape, int kernel_h,
                             int kernel_w, bool using_bias, bool rescales, const Padding* padding,
                             const dim2* stride, const dim2* dilation, okk_element_t output_type,
                             okk_element_t input_type, int input_zp, int weight_zp, int output_zp,
                             int low, int high, bool rounds_twice);

/** Maximum of the window. Padding is the least value of the type. */
void okk_bdc_int_max_pool2d(local_addr_t output_addr, local_addr_t input_addr,
                            const dim4* input_shape, int kernel_h, int kernel_w,
                            const Padding* padding, const dim2* stride, okk_element_t element_type);

/* ---- half_mac: OKK_FP16 and OKK_BF16, computed in fp32. ---- */

/** 2D convolution of fp16 or bf16 in fp32, in the order of bdc.conv2d. The number of input channels
 * is rounded up to a multiple of four. The result is rounded once to its type. 64 bits of weights
 * hold four input channels. kernel_stride counts such units in the order (channels / 4, output
 * channels, kernel_h, kernel_w); NULL is the compact layout. The bias is fp32. */
void okk_bdc_half_conv2d(local_addr_t output_addr, local_addr_t input_addr,
                         local_addr_t weight_addr, local_addr_t bias_addr, const dim4* input_shape,
                         int output_c, int kernel_h, int kernel_w, const dim4* kernel_stride,
                         bool using_bias, bool result_add, const Padding* padding,
                         const dim2* stride, const dim2* dilation, okk_element_t output_type,
                         okk_element_t input_type);

/** 2D depthwise convolution of fp16 or bf16 in fp32, in the order of bdc.depthwise2d. The result
 * is rounded once to its type. */
void okk_bdc_half_depthwise2d(local_addr_t output_addr, local_addr_t input_addr,
                              local_addr_t weight_addr, local_addr_t bias_addr,
                              const dim4* input_shape, int kernel_h, int kernel_w, bool using_bias,
                              const Padding* padding, const dim2* stride, const dim2* dilation,
                              okk_element_t output_type, okk_element_t input_type);

/** dst = src0 + src1 in fp32, rounded to the type of dst. */
void okk_bdc_half_add(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                      const dim4* shape, const dim4* dst_stride, const dim4* src0_stride,
                      const dim4* src1_stride, okk_element_t dst_type, okk_element_t src0_type,
                      okk_element_t src1_type);

/** dst = src0 - src1 in fp32, rounded to the type of dst. */
void okk_bdc_half_sub(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                      const dim4* shape, const dim4* dst_stride, const dim4* src0_stride,
                      const dim4* src1_stride, okk_element_t dst_type, okk_element_t src0_type,
                      okk_element_t src1_type);

/** dst = src0 * src1 in fp32, rounded to the type of dst. */
void okk_bdc_half_mul(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                      const dim4* shape, const dim4* dst_stride, const dim4* src0_stride,
                      const dim4* src1_stride, okk_element_t dst_type, okk_element_t src0_type,
                      okk_element_t src1_type);

/** dst = src0 > src1 ? src0 : src1, rounded to the type of dst. For a NaN and a number, dst is the
 * NaN if keeps_nan, else the number. */
void okk_bdc_half_max(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                      const dim4* shape, const dim4* dst_stride, const dim4* src0_stride,
                      const dim4* src1_stride, okk_element_t dst_type, okk_element_t src0_type,
                      okk_element_t src1_type, bool keeps_nan);

/** dst = src0 < src1 ? src0 : src1, rounded to the type of dst. For a NaN and a number, dst is the
 * NaN if keeps_nan, else the number. */
void okk_bdc_half_min(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                      const dim4* shape, const dim4* dst_stride, const dim4* src0_stride,
                      const dim4* src1_stride, okk_element_t dst_type, okk_element_t src0_type,
                      okk_element_t src1_type, bool keeps_nan);

/** dst = src limited to [low, high], rounded to the type of dst. A NaN stays if keeps_nan, else it
 * becomes low. */
void okk_bdc_half_clamp(local_addr_t dst_addr, local_addr_t src_addr, float low, float high,
                        const dim4* shape, const dim4* dst_stride, const dim4* src_stride,
                        okk_element_t dst_type, okk_element_t src_type, bool keeps_nan);

/* ---- dma_layout: elements of up to 32 bits. ---- */

/** dst = src with any strides, system to local memory. */
void okk_gdma_transpose_S2L(local_addr_t dst_addr, system_addr_t src_addr, const dim4* shape,
                            const dim4* dst_stride, const dim4* src_stride,
                            okk_element_t element_type);

/** dst = src with any strides, local to system memory. */
void okk_gdma_transpose_L2S(system_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                            const dim4* dst_stride, const dim4* src_stride,
                            okk_element_t element_type);

/** dst = src with any strides, within local memory. */
void okk_gdma_transpose_L2L(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                            const dim4* dst_stride, const dim4* src_stride,
                            okk_element_t element_type);

/** dst = src with any strides, within system memory. */
void okk_gdma_transpose_S2S(system_addr_t dst_addr, system_addr_t src_addr, const dim4* shape,
                            const dim4* dst_stride, const dim4* src_stride,
                            okk_element_t element_type);

/* ---- dma_index: elements of up to 32 bits in system memory. ---- */

/** dst[n,c,:,:] = src[n,i,:,:] for the word i of index at [n,c]. An i beyond the rows of src
 * ends the launch. */
void okk_gdma_gather_S2S(system_addr_t dst_addr, system_addr_t src_addr, system_addr_t index_addr,
                         const dim4* shape, const dim4* src_shape, const dim4* dst_stride,
                         const dim4* src_stride, const dim4* index_stride,
                         okk_element_t element_type);

/** dst[n,i,:,:] = src[n,c,:,:] for the word i of index at [n,c]. Other rows do not change. An i
 * beyond the rows of dst, or a second equal i, ends the launch. */
void okk_gdma_scatter_S2S(system_addr_t dst_addr, system_addr_t src_addr, system_addr_t index_addr,
                          const dim4* shape, const dim4* dst_shape, const dim4* dst_stride,
                          const dim4* src_stride, const dim4* index_stride,
                          okk_element_t element_type);

#ifdef __cplusplus
}
#endif
