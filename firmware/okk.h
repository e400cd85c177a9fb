/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/* The okk API: the functions that device kernels call. C99 and C++. Each call checks all rules of
 * the API reference. A broken rule ends the launch with a report. */

#include "okk_types.h" /* next to this file, in the source tree and installed */

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Common functions. ---- */

/** Prepares the device and ends parallel mode. Call it first in a kernel. */
void okk_initialize(void);
/** Waits until all earlier GDMA and BDC functions are done. Not allowed in parallel mode. */
void okk_poll(void);
/** Starts parallel mode: GDMA and BDC run side by side. Not allowed in parallel mode. */
void okk_parallel_start(void);
/** Ends parallel mode; later functions wait for all earlier ones. Only in parallel mode. */
void okk_parallel_end(void);
/** True in parallel mode. */
bool okk_is_parallel_state(void);
/** Bytes of local memory of one NPU. */
unsigned int okk_local_mem_size_per_npu(void);
/** Bytes of L2-SRAM. */
unsigned int okk_l2_sram_size(void);
/** Bytes of DTCM. */
unsigned int okk_dtcm_size(void);
/** Number of NPUs. */
int okk_npu_num(void);

/* ---- Layout helpers. ---- */

/** Index of the NPU that contains a local address. */
int okk_start_npu_index(local_addr_t addr);
/** Channels that each NPU holds of a tensor that starts in NPU start_idx. */
int okk_channle_num_per_npu(int start_idx, int num_channels);
/** Strides of the 128-Byte Aligned Layout, 32-bit elements. */
void okk_128_byte_aligned_stride_for_32bit(dim4* stride, int start_idx, const dim4* shape);
/** Strides of the 128-Byte Aligned Layout, 16-bit elements. */
void okk_128_byte_aligned_stride_for_16bit(dim4* stride, int start_idx, const dim4* shape);
/** Strides of the 128-Byte Aligned Layout, 8-bit elements. */
void okk_128_byte_aligned_stride_for_8bit(dim4* stride, int start_idx, const dim4* shape);
/** Strides of the Compact Layout. */
void okk_compact_stride(dim4* stride, int start_idx, const dim4* shape);
/** Strides of the Continuous Layout (system memory). */
void okk_continuous_stride(dim4* stride, const dim4* shape);

/* ---- GDMA: copies and fills. A NULL stride is the 128-Byte Aligned Layout in local memory and the
 * Continuous Layout in system memory; W strides are one. ---- */

/** dst = src, 32-bit elements, system to local memory. */
void okk_gdma_32bit_cpy_S2L(local_addr_t dst_addr, system_addr_t src_addr, const dim4* shape,
                            const dim4* dst_stride, const dim4* src_stride);
/** dst = src, 32-bit elements, local to system memory. */
void okk_gdma_32bit_cpy_L2S(system_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                            const dim4* dst_stride, const dim4* src_stride);
/** dst = src, 32-bit elements, within local memory. */
void okk_gdma_32bit_cpy_L2L(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                            const dim4* dst_stride, const dim4* src_stride);
/** dst = src, 32-bit elements, within system memory. */
void okk_gdma_32bit_cpy_S2S(system_addr_t dst_addr, system_addr_t src_addr, const dim4* shape,
                            const dim4* dst_stride, const dim4* src_stride);
/** Matrix rows from system memory into the matrix layout. */
void okk_gdma_32bit_matrix_S2L(local_addr_t dst_addr, system_addr_t src_addr, int rows, int cols,
                               int cols_per_channel, int row_stride);
/** Matrix layout to matrix rows in system memory. */
void okk_gdma_32bit_matrix_L2S(system_addr_t dst_addr, local_addr_t src_addr, int rows, int cols,
                               int cols_per_channel, int row_stride);
/** dst = C, 32-bit elements, in system memory. */
void okk_gdma_32bit_set_C_system(system_addr_t dst_addr, x32 C, const dim4* shape,
                                 const dim4* dst_stride);
/** dst = C, 32-bit elements, in local memory. */
void okk_gdma_32bit_set_C_local(local_addr_t dst_addr, x32 C, const dim4* shape,
                                const dim4* dst_stride);
/** dst = src, 16-bit elements, system to local memory. */
void okk_gdma_16bit_cpy_S2L(local_addr_t dst_addr, system_addr_t src_addr, const dim4* shape,
                            const dim4* dst_stride, const dim4* src_stride);
/** dst = src, 16-bit elements, local to system memory. */
void okk_gdma_16bit_cpy_L2S(system_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                            const dim4* dst_stride, const dim4* src_stride);
/** dst = src, 16-bit elements, within local memory. */
void okk_gdma_16bit_cpy_L2L(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                            const dim4* dst_stride, const dim4* src_stride);
/** dst = src, 16-bit elements, within system memory. */
void okk_gdma_16bit_cpy_S2S(system_addr_t dst_addr, system_addr_t src_addr, const dim4* shape,
                            const dim4* dst_stride, const dim4* src_stride);
/** dst = C, 16-bit elements, in system memory. */
void okk_gdma_16bit_set_C_system(system_addr_t dst_addr, x16 C, const dim4* shape,
                                 const dim4* dst_stride);
/** dst = C, 16-bit elements, in local memory. */
void okk_gdma_16bit_set_C_local(local_addr_t dst_addr, x16 C, const dim4* shape,
                                const dim4* dst_stride);
/** dst = src, 8-bit elements, system to local memory. */
void okk_gdma_8bit_cpy_S2L(local_addr_t dst_addr, system_addr_t src_addr, const dim4* shape,
                           const dim4* dst_stride, const dim4* src_stride);
/** dst = src, 8-bit elements, local to system memory. */
void okk_gdma_8bit_cpy_L2S(system_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                           const dim4* dst_stride, const dim4* src_stride);
/** dst = src, 8-bit elements, within local memory. */
void okk_gdma_8bit_cpy_L2L(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                           const dim4* dst_stride, const dim4* src_stride);
/** dst = src, 8-bit elements, within system memory. */
void okk_gdma_8bit_cpy_S2S(system_addr_t dst_addr, system_addr_t src_addr, const dim4* shape,
                           const dim4* dst_stride, const dim4* src_stride);
/** dst = C, 8-bit elements, in system memory. */
void okk_gdma_8bit_set_C_system(system_addr_t dst_addr, x8 C, const dim4* shape,
                                const dim4* dst_stride);
/** dst = C, 8-bit elements, in local memory. */
void okk_gdma_8bit_set_C_local(local_addr_t dst_addr, x8 C, const dim4* shape,
                               const dim4* dst_stride);

/* ---- BDC. A NULL stride is the 128-Byte Aligned Layout; tensors start in one NPU. ---- */

/** dst = src, bit for bit. */
void okk_bdc_32bit_cpy(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                       const dim4* dst_stride, const dim4* src_stride);
/** dst = C. */
void okk_bdc_32bit_set_C(local_addr_t dst_addr, x32 C, const dim4* shape, const dim4* dst_stride);
/** dst = src truncated toward zero, saturated; a NaN saturates by its sign. */
void okk_bdc_fp32_to_int32(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape);
/** dst = float of the low 8 bits of src as int8. */
void okk_bdc_lookup_int32_to_fp32(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape);
/** dst = float of the packed (4N) 8-bit src. */
void okk_bdc_4N_int8_to_fp32(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work_addr,
                             const dim4* shape, bool is_signed, bool is_aligned_layout);
/** dst = float of the 8-bit src. */
void okk_bdc_int8_to_fp32(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work_addr,
                          const dim4* shape, bool is_signed, bool is_aligned_layout);
/** dst = src0 + src1. */
void okk_bdc_add(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                 const dim4* shape, const dim4* dst_stride, const dim4* src0_stride,
                 const dim4* src1_stride);
/** dst = src + C. */
void okk_bdc_add_C(local_addr_t dst_addr, local_addr_t src_addr, float C, const dim4* shape,
                   const dim4* dst_stride, const dim4* src_stride);
/** dst = src0 - src1. */
void okk_bdc_sub(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                 const dim4* shape, const dim4* dst_stride, const dim4* src0_stride,
                 const dim4* src1_stride);
/** dst = src - C. */
void okk_bdc_sub_C(local_addr_t dst_addr, local_addr_t src_addr, float C, const dim4* shape,
                   const dim4* dst_stride, const dim4* src_stride);
/** dst = C - src. */
void okk_bdc_C_sub(local_addr_t dst_addr, local_addr_t src_addr, float C, const dim4* shape,
                   const dim4* dst_stride, const dim4* src_stride);
/** dst = src0 * src1. */
void okk_bdc_mul(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                 const dim4* shape, const dim4* dst_stride, const dim4* src0_stride,
                 const dim4* src1_stride);
/** dst = src * C. */
void okk_bdc_mul_C(local_addr_t dst_addr, local_addr_t src_addr, float C, const dim4* shape,
                   const dim4* dst_stride, const dim4* src_stride);
/** dst = src0 * reciprocal(src1). */
void okk_bdc_div(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                 const dim4* shape, const dim4* dst_stride, const dim4* src0_stride,
                 const dim4* src1_stride);
/** dst = src * reciprocal(C). */
void okk_bdc_div_C(local_addr_t dst_addr, local_addr_t src_addr, float C, const dim4* shape,
                   const dim4* dst_stride, const dim4* src_stride);
/** dst = C * reciprocal(src). */
void okk_bdc_C_div(local_addr_t dst_addr, local_addr_t src_addr, float C, const dim4* shape,
                   const dim4* dst_stride, const dim4* src_stride);
/** dst = dst + src0 * src1, product rounded first. */
void okk_bdc_mac(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                 const dim4* shape, const dim4* dst_stride, const dim4* src0_stride,
                 const dim4* src1_stride);
/** dst = dst + src * C, product rounded first. */
void okk_bdc_mac_C(local_addr_t dst_addr, local_addr_t src_addr, float C, const dim4* shape,
                   const dim4* dst_stride, const dim4* src_stride);
/** dst = src0 > src1 ? src0 : src1, result flushed. */
void okk_bdc_max(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                 const dim4* shape, const dim4* dst_stride, const dim4* src0_stride,
                 const dim4* src1_stride);
/** dst = src > C ? src : C, result flushed. */
void okk_bdc_max_C(local_addr_t dst_addr, local_addr_t src_addr, float C, const dim4* shape,
                   const dim4* dst_stride, const dim4* src_stride);
/** dst = src0 <= src1 ? src0 : src1. */
void okk_bdc_min(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                 const dim4* shape, const dim4* dst_stride, const dim4* src0_stride,
                 const dim4* src1_stride);
/** dst = src <= C ? src : C. */
void okk_bdc_min_C(local_addr_t dst_addr, local_addr_t src_addr, float C, const dim4* shape,
                   const dim4* dst_stride, const dim4* src_stride);
/** dst = src0 > src1 ? select_val : 0. */
void okk_bdc_greater_select_value(local_addr_t dst_addr, local_addr_t src0_addr,
                                  local_addr_t src1_addr, x32 select_val, const dim4* shape,
                                  const dim4* dst_stride, const dim4* src0_stride,
                                  const dim4* src1_stride);
/** dst = src > C ? select_val : 0. */
void okk_bdc_greater_C_select_value(local_addr_t dst_addr, local_addr_t src_addr, float C,
                                    x32 select_val, const dim4* shape, const dim4* dst_stride,
                                    const dim4* src_stride);
/** dst = C > src ? select_val : 0. */
void okk_bdc_C_greater_select_value(local_addr_t dst_addr, local_addr_t src_addr, float C,
                                    x32 select_val, const dim4* shape, const dim4* dst_stride,
                                    const dim4* src_stride);
/** dst = src0 and src1 are the same bits ? select_val : 0. */
void okk_bdc_equal_select_value(local_addr_t dst_addr, local_addr_t src0_addr,
                                local_addr_t src1_addr, x32 select_val, const dim4* shape,
                                const dim4* dst_stride, const dim4* src0_stride,
                                const dim4* src1_stride);
/** dst = src and C are the same bits ? select_val : 0. */
void okk_bdc_equal_C_select_value(local_addr_t dst_addr, local_addr_t src_addr, float C,
                                  x32 select_val, const dim4* shape, const dim4* dst_stride,
                                  const dim4* src_stride);
/** dst = src0 AND src1. */
void okk_bdc_32bit_and(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                       const dim4* shape, const dim4* dst_stride, const dim4* src0_stride,
                       const dim4* src1_stride);
/** dst = src AND C. */
void okk_bdc_32bit_and_C(local_addr_t dst_addr, local_addr_t src_addr, x32 C, const dim4* shape,
                         const dim4* dst_stride, const dim4* src_stride);
/** dst = src0 OR src1. */
void okk_bdc_32bit_or(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                      const dim4* shape, const dim4* dst_stride, const dim4* src0_stride,
                      const dim4* src1_stride);
/** dst = src OR C. */
void okk_bdc_32bit_or_C(local_addr_t dst_addr, local_addr_t src_addr, x32 C, const dim4* shape,
                        const dim4* dst_stride, const dim4* src_stride);
/** dst = src0 XOR src1. */
void okk_bdc_32bit_xor(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                       const dim4* shape, const dim4* dst_stride, const dim4* src0_stride,
                       const dim4* src1_stride);
/** dst = src XOR C. */
void okk_bdc_32bit_xor_C(local_addr_t dst_addr, local_addr_t src_addr, x32 C, const dim4* shape,
                         const dim4* dst_stride, const dim4* src_stride);
/** dst = src0 shifted left by src1, or right (arithmetic) by -src1. */
void okk_bdc_32bit_arithmetic_shift(local_addr_t dst_addr, local_addr_t src0_addr,
                                    local_addr_t src1_addr, const dim4* shape,
                                    const dim4* dst_stride, const dim4* src0_stride,
                                    const dim4* src1_stride);
/** dst = src0 shifted left by src1, or right (logical) by -src1. */
void okk_bdc_32bit_logical_shift(local_addr_t dst_addr, local_addr_t src0_addr,
                                 local_addr_t src1_addr, const dim4* shape, const dim4* dst_stride,
                                 const dim4* src0_stride, const dim4* src1_stride);
/** dst = src shifted left by C, or right (arithmetic) by -C. */
void okk_bdc_32bit_arithmetic_shift_C(local_addr_t dst_addr, local_addr_t src_addr, int C,
                                      const dim4* shape, const dim4* dst_stride,
                                      const dim4* src_stride);
/** dst = src shifted left by C, or right (logical) by -C. */
void okk_bdc_32bit_logical_shift_C(local_addr_t dst_addr, local_addr_t src_addr, int C,
                                   const dim4* shape, const dim4* dst_stride,
                                   const dim4* src_stride);
/** dst = C shifted left by src, or right (arithmetic) by -src. */
void okk_bdc_32bit_C_arithmetic_shift(local_addr_t dst_addr, local_addr_t src_addr, int C,
                                      const dim4* shape, const dim4* dst_stride,
                                      const dim4* src_stride);
/** dst = C shifted left by src, or right (logical) by -src. */
void okk_bdc_32bit_C_logical_shift(local_addr_t dst_addr, local_addr_t src_addr, unsigned int C,
                                   const dim4* shape, const dim4* dst_stride,
                                   const dim4* src_stride);
/** dst = 1 / sqrt(src), three Newton steps. */
void okk_bdc_rsqrt(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape);
/** dst = reciprocal(rsqrt(src)). */
void okk_bdc_sqrt(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape);
/** dst = sum of src^j / j!, j = 0..num_series (Horner). */
void okk_bdc_taylor_exp(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                        int num_series);
/** dst = e^src from the table, src taken modulo 256. */
void okk_bdc_lookup_exp(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape);
/** dst = e^src. */
void okk_bdc_exp(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work_addr,
                 const dim4* shape);
/** dst = e^src with num_series terms. */
void okk_bdc_exp_tunable(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work_addr,
                         const dim4* shape, int num_series);
/** dst = 1 / (1 + e^-src). */
void okk_bdc_sigmoid(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work_addr,
                     const dim4* shape);
/** dst = 1 / (1 + e^-src) with num_series terms. */
void okk_bdc_sigmoid_tunable(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work_addr,
                             const dim4* shape, int num_series);
/** dst = tanh(src). */
void okk_bdc_tanh(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work_addr,
                  const dim4* shape);
/** dst = tanh(src) with num_series terms. */
void okk_bdc_tanh_tunable(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work_addr,
                          const dim4* shape, int num_series);
/** dst = sign(src) * rsqrt(|src|)^2. */
void okk_bdc_reciprocal(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                        const dim4* dst_stride, const dim4* src_stride);
/** dst = 0 - src. */
void okk_bdc_neg(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                 const dim4* dst_stride, const dim4* src_stride);

/* ---- BDC: fp32 neural network. ---- */

/** dst = src > 0 ? src : 0. */
void okk_bdc_relu(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                  const dim4* dst_stride, const dim4* src_stride);
/** dst = src + bias of the channel. */
void okk_bdc_bias(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t bias_addr,
                  const dim4* shape, const dim4* dst_stride, const dim4* src_stride);
/** dst = src * scale of the channel + 0. */
void okk_bdc_scale(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t scale_addr,
                   const dim4* shape, const dim4* dst_stride, const dim4* src_stride);
/** dst = src * scale + bias of the channel, product rounded first. */
void okk_bdc_scale_bias(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t scale_addr,
                        local_addr_t bias_addr, const dim4* shape, const dim4* dst_stride,
                        const dim4* src_stride);
/** 2D convolution, 2IC-mode weights; four accumulators over (kernel row, column, input channel). */
void okk_bdc_conv2d(local_addr_t output_addr, local_addr_t input_addr, local_addr_t weight_addr,
                    local_addr_t bias_addr, const dim4* input_shape, int output_c, int kernel_h,
                    int kernel_w, const dim4* input_stride, const dim4* kernel_stride,
                    bool using_bias, bool result_add, const Padding* padding, const dim2* stride,
                    const dim2* dilation);
/** 2D depthwise convolution; two interleaved accumulators over kernel positions. */
void okk_bdc_depthwise2d(local_addr_t output_addr, local_addr_t input_addr,
                         local_addr_t weight_addr, local_addr_t bias_addr, const dim4* input_shape,
                         int kernel_h, int kernel_w, bool using_bias, const Padding* padding,
                         const dim2* stride, const dim2* dilation);
/** Mean of the window, padding counted, as depthwise with weights 1/(kernel_h*kernel_w). */
void okk_bdc_avg_pool2d(local_addr_t output_addr, local_addr_t input_addr, const dim4* input_shape,
                        int kernel_h, int kernel_w, const Padding* padding, const dim2* stride);
/** Sum of the window times scale, as depthwise with weights scale. */
void okk_bdc_avg_pool2d_v2(local_addr_t output_addr, local_addr_t input_addr,
                           const dim4* input_shape, float scale, int kernel_h, int kernel_w,
                           const Padding* padding, const dim2* stride);
/** Maximum of the window, padding is -FLT_MAX. */
void okk_bdc_max_pool2d(local_addr_t output_addr, local_addr_t input_addr, const dim4* input_shape,
                        int kernel_h, int kernel_w, const Padding* padding, const dim2* stride);
/** output = left * right (+ bias) (+ output); two interleaved accumulators over left columns. */
void okk_bdc_matmul(local_addr_t output_addr, local_addr_t left_addr, local_addr_t right_addr,
                    local_addr_t bias_addr, int left_rows, int left_cols, int right_cols,
                    int left_cols_per_channel, int right_cols_per_channel, bool using_bias,
                    bool result_add);

/* ---- BDC: fixed point, 8-bit tensors in 4N mode, 16-bit tensors in 2N mode. ---- */

/** dst = saturate((src0 + src1) rounding-shifted right by rshift). */
void okk_bdc_fixed_point_packed_add(local_addr_t dst_addr, local_addr_t src0_addr,
                                    local_addr_t src1_addr, const dim4* shape,
                                    const dim4* dst_stride, const dim4* src0_stride,
                                    const dim4* src1_stride, op_type_t op_type, int rshift);
/** dst = saturate((src + C) rounding-shifted right by rshift). */
void okk_bdc_fixed_point_packed_add_C(local_addr_t dst_addr, local_addr_t src_addr, int C,
                                      const dim4* shape, const dim4* dst_stride,
                                      const dim4* src_stride, op_type_t op_type, int rshift);
/** dst = saturate((src0 - src1) rounding-shifted right by rshift). */
void okk_bdc_fixed_point_packed_sub(local_addr_t dst_addr, local_addr_t src0_addr,
                                    local_addr_t src1_addr, const dim4* shape,
                                    const dim4* dst_stride, const dim4* src0_stride,
                                    const dim4* src1_stride, op_type_t op_type, int rshift);
/** dst = saturate((src - C) rounding-shifted right by rshift). */
void okk_bdc_fixed_point_packed_sub_C(local_addr_t dst_addr, local_addr_t src_addr, int C,
                                      const dim4* shape, const dim4* dst_stride,
                                      const dim4* src_stride, op_type_t op_type, int rshift);
/** dst = saturate((C - src) rounding-shifted right by rshift). */
void okk_bdc_fixed_point_packed_C_sub(local_addr_t dst_addr, local_addr_t src_addr, int C,
                                      const dim4* shape, const dim4* dst_stride,
                                      const dim4* src_stride, op_type_t op_type, int rshift);
/** dst = saturate((src0 * src1) rounding-shifted right by rshift). */
void okk_bdc_fixed_point_packed_mul(local_addr_t dst_addr, local_addr_t src0_addr,
                                    local_addr_t src1_addr, const dim4* shape,
                                    const dim4* dst_stride, const dim4* src0_stride,
                                    const dim4* src1_stride, op_type_t op_type, int rshift);
/** dst = saturate((src * C) rounding-shifted right by rshift). */
void okk_bdc_fixed_point_packed_mul_C(local_addr_t dst_addr, local_addr_t src_addr, int C,
                                      const dim4* shape, const dim4* dst_stride,
                                      const dim4* src_stride, op_type_t op_type, int rshift);
/** dst = saturate((wrap32(dst << lshift + src0 * src1)) rounding-shifted right by rshift). */
void okk_bdc_fixed_point_packed_mac(local_addr_t dst_addr, local_addr_t src0_addr,
                                    local_addr_t src1_addr, const dim4* shape,
                                    const dim4* dst_stride, const dim4* src0_stride,
                                    const dim4* src1_stride, bool is_origin_dst_signed,
                                    op_type_t op_type, int lshift, int rshift);
/** dst = saturate((wrap32(dst << lshift + src * C)) rounding-shifted right by rshift). */
void okk_bdc_fixed_point_packed_mac_C(local_addr_t dst_addr, local_addr_t src_addr, int C,
                                      const dim4* shape, const dim4* dst_stride,
                                      const dim4* src_stride, bool is_origin_dst_signed,
                                      op_type_t op_type, int lshift, int rshift);
/** dst = max(src0, src1). */
void okk_bdc_fixed_point_packed_max(local_addr_t dst_addr, local_addr_t src0_addr,
                                    local_addr_t src1_addr, const dim4* shape,
                                    const dim4* dst_stride, const dim4* src0_stride,
                                    const dim4* src1_stride, op_type_t op_type);
/** dst = max(src, C). */
void okk_bdc_fixed_point_packed_max_C(local_addr_t dst_addr, local_addr_t src_addr, int C,
                                      const dim4* shape, const dim4* dst_stride,
                                      const dim4* src_stride, op_type_t op_type);
/** dst = min(src0, src1). */
void okk_bdc_fixed_point_packed_min(local_addr_t dst_addr, local_addr_t src0_addr,
                                    local_addr_t src1_addr, const dim4* shape,
                                    const dim4* dst_stride, const dim4* src0_stride,
                                    const dim4* src1_stride, op_type_t op_type);
/** dst = min(src, C). */
void okk_bdc_fixed_point_packed_min_C(local_addr_t dst_addr, local_addr_t src_addr, int C,
                                      const dim4* shape, const dim4* dst_stride,
                                      const dim4* src_stride, op_type_t op_type);
/** dst = src0 shifted left by src1, or right (arithmetic) by -src1. */
void okk_bdc_fixed_point_packed_16bit_arithmetic_shift(
    local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr, const dim4* shape,
    const dim4* dst_stride, const dim4* src0_stride, const dim4* src1_stride);
/** dst = src0 shifted left by src1, or right (logical) by -src1. */
void okk_bdc_fixed_point_packed_16bit_logical_shift(local_addr_t dst_addr, local_addr_t src0_addr,
                                                    local_addr_t src1_addr, const dim4* shape,
                                                    const dim4* dst_stride, const dim4* src0_stride,
                                                    const dim4* src1_stride);
/** dst = src shifted left by C, or right (arithmetic) by -C. */
void okk_bdc_fixed_point_packed_16bit_arithmetic_shift_C(local_addr_t dst_addr,
                                                         local_addr_t src_addr, short C,
                                                         const dim4* shape, const dim4* dst_stride,
                                                         const dim4* src_stride);
/** dst = src shifted left by C, or right (logical) by -C. */
void okk_bdc_fixed_point_packed_16bit_logical_shift_C(local_addr_t dst_addr, local_addr_t src_addr,
                                                      short C, const dim4* shape,
                                                      const dim4* dst_stride,
                                                      const dim4* src_stride);
/** dst = C shifted left by src, or right (arithmetic) by -src. */
void okk_bdc_fixed_point_packed_16bit_C_arithmetic_shift(local_addr_t dst_addr,
                                                         local_addr_t src_addr, short C,
                                                         const dim4* shape, const dim4* dst_stride,
                                                         const dim4* src_stride);
/** dst = C shifted left by src, or right (logical) by -src. */
void okk_bdc_fixed_point_packed_16bit_C_logical_shift(local_addr_t dst_addr, local_addr_t src_addr,
                                                      unsigned short C, const dim4* shape,
                                                      const dim4* dst_stride,
                                                      const dim4* src_stride);
/** dst = saturate((16-bit src0 * 8-bit src1) rounding-shifted right by rshift). */
void okk_bdc_fixed_point_packed_16bit_mul_8bit(local_addr_t dst_addr, local_addr_t src0_high_addr,
                                               local_addr_t src0_low_addr, local_addr_t src1_addr,
                                               const dim4* shape, const dim4* dst_stride,
                                               const dim4* src0_high_stride,
                                               const dim4* src0_low_stride, const dim4* src1_stride,
                                               mul_type_t mul_type, int rshift);
/** dst = high 8 bits of the 16-bit src. */
void okk_bdc_fixed_point_packed_16bit_split_high_8bit(local_addr_t dst_addr, local_addr_t src_addr,
                                                      const dim4* shape, const dim4* dst_stride,
                                                      const dim4* src_stride);
/** dst = low 8 bits of the 16-bit src. */
void okk_bdc_fixed_point_packed_16bit_split_low_8bit(local_addr_t dst_addr, local_addr_t src_addr,
                                                     local_addr_t work_addr, const dim4* shape,
                                                     const dim4* dst_stride, const dim4* src_stride,
                                                     const dim4* work_stride);

/* ---- BDC: functions of the vendor's kit that are several commands here, without strides. The
 * result must not be a tensor of select0 or select1. ---- */

/** dst = src0 > src1 ? select0 : select1. */
void okk_bdc_greater_select(local_addr_t dst_addr, const fp32_or_addr_t* src0,
                            const fp32_or_addr_t* src1, const x32_or_addr_t* select0,
                            const x32_or_addr_t* select1, const dim4* shape);
/** dst = src0 and src1 are the same bits ? select0 : select1. */
void okk_bdc_equal_select(local_addr_t dst_addr, const fp32_or_addr_t* src0,
                          const fp32_or_addr_t* src1, const x32_or_addr_t* select0,
                          const x32_or_addr_t* select1, const dim4* shape);
/** dst = saturate((16-bit src0 * unsigned 8-bit src1) rounding-shifted right by rshift). The work
 *  tensors hold 16 bits and the two halves of src0. Four commands. */
void okk_bdc_fixed_point_packed_s16_mul_u8_to_s16(
    local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr, local_addr_t work_addr,
    local_addr_t work_high_addr, local_addr_t work_low_addr, const dim4* shape,
    const dim4* dst_stride, const dim4* src0_stride, const dim4* src1_stride,
    const dim4* work_stride, const dim4* work_high_stride, const dim4* work_low_stride, int rshift);

/* ---- Command nodes. The simulator orders commands without them, so these calls have no effect:
 * nodes are neither read nor written. ---- */

void okk_set_id_node(void* node);
void okk_get_id_node(void* node);
void okk_enable_check_id_node(void);
void okk_disable_check_id_node(void);

/* ---- Address queries. ---- */

unsigned long long okk_global_mem_start_addr(void);
unsigned int okk_local_mem_start_addr(void);
/** Banks of one NPU's local memory. */
unsigned int okk_local_mem_bank_per_npu(void);
unsigned int okk_l2_sram_start_addr(void);
unsigned int okk_dtcm_start_addr(void);
unsigned int okk_lookup_table_start_addr(void);
unsigned int okk_lookup_table_size(void);
/** 32-bit words that one NPU handles at a time. */
unsigned int okk_eu_num(void);

/* ---- Pointers for the control processor's own loads and stores. Commands take effect when they
 * complete. Call okk_poll() before loads of results and before stores to sources. ---- */

unsigned char* okk_global_mem_addr(unsigned long long addr);
/** `addr` is a byte offset in the local memory of NPU `npu`. */
unsigned char* okk_local_mem_addr(unsigned int npu, unsigned int addr);
unsigned char* okk_l2_sram_addr(unsigned int addr);
unsigned char* okk_dtcm_addr(unsigned int addr);

/* ---- Kernels; see OKKERNEL_FUNC_REGISTER, OKKERNEL_LOG, OKKERNEL_ASSERT. ---- */

/** Makes `func` launchable as `name`; a later registration of a name replaces the earlier one. */
void okk_register_kernel_func(const char* name, okk_kernel_func_t func);
/** Logs the names of all kernels. */
void okk_dump_registered_kernel_funcs(void);
/** Functions behind OKKERNEL_LOG and OKKERNEL_ASSERT. */
void okksim_log(const char* format, ...) __attribute__((format(printf, 1, 2)));
void okksim_assertion_failed(const char* condition, const char* file, int line,
                             const char* function) __attribute__((noreturn));

#ifdef __cplusplus
}
#endif
