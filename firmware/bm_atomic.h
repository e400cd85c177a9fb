/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/* The engines' commands under the second set of names in the vendor's kit. The API reference does
 * not document these functions. Each one issues the command of okk.h with the same operands, which
 * the fields' names show (firmware/README.md has the list). Operands without such a command are a
 * fault that names the function to call instead. Fields have the order that compiled kernels
 * expect. C99 and C++. */

#include <stdbool.h>

#include "okk.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum { BM_INT8, BM_UINT8, BM_INT16, BM_UNT16, BM_FP32 } BmDataType;

typedef enum {
    BM_MUL = 0,
    BM_MAC = 1,
    BM_ADD = 2,
    BM_SUB = 3,
    BM_MAX = 4,
    BM_MIN = 5,
    BM_SHIFT = 6,
    BM_AND = 7,
    BM_OR = 8,
    BM_XOR = 9,
    BM_SG = 10,
    BM_SE = 11,
    BM_DIV = 12,
    BM_TAYLOR = 13,
    BM_FP32_INT32 = 14,
    BM_NORMALIZE_INT32 = 15,
    BM_NORMALIZE_FP32 = 16,
    BM_RSQRT = 17,
    BM_CPY = 19,
    BM_SQR_SUM = 20,
    BM_SQR_DIFF = 21
} BmAtomicOp;

typedef enum { BM_ASCEND, BM_DESCEND } BmSortOrder;
typedef enum { BM_GD_8BIT = 0, BM_GD_32BIT = 2, BM_GD_128BIT = 4 } BmGDType;
typedef enum { BM_RELU, BM_ELU, BM_PRELU, BM_TANH, BM_SIGMOID } BmActType;
typedef enum { BM_GDMA_DIR_S2L, BM_GDMA_DIR_L2S, BM_GDMA_DIR_S2S, BM_GDMA_DIR_L2L } BmGDMADir;
typedef enum {
    BM_GDMA_FORMAT_FLOAT32,
    BM_GDMA_FORMAT_INT16,
    BM_GDMA_FORMAT_UINT8,
    BM_GDMA_FORMAT_INT8,
    BM_GDMA_FORMAT_FLOAT16
} BmGDMAFormat;

/* ---- Parameters. Shapes and strides are n, c, h, w. Strides count elements. Pads are top, bottom,
 * left, right. ---- */

typedef struct {
    unsigned int input_addr, weight_addr, bias_addr, output_addr;
    unsigned int input_shape[4];
    unsigned int output_c;
    unsigned int kernel_h, kernel_w;
    unsigned int stride_h, stride_w;
    unsigned int input_stride[4], kernel_stride[4];
    unsigned int ins_h, ins_w; /* zeros between elements */
    unsigned int dilate_h, dilate_w;
    bool kernel_is_const;
    float kernel_val;
    unsigned int pad[4];
    bool using_bias, kernel_flip, result_add;
} ConvParam;

typedef struct {
    unsigned int input_addr, weight_addr, bias_addr, output_addr;
    unsigned int input_shape[4];
    unsigned int output_c;
    unsigned int kernel_h, kernel_w;
    unsigned int stride_h, stride_w;
    unsigned int input_stride[4], kernel_stride[4];
    unsigned int ins_h, ins_w;
    unsigned int dilate_h, dilate_w;
    bool kernel_is_const;
    signed char kernel_val;
    unsigned int pad[4];
    unsigned int rshift_bit;
    bool using_bias, kernel_flip, result_add, if_relu, input_sign, weight_sign, bias_sign;
} ConvQuantParam;

typedef struct {
    unsigned int input_addr, weight_addr, bias_addr, output_addr;
    unsigned int input_shape[4];
    unsigned int output_c;
    unsigned int input_stride[4];
    unsigned int ins_h, ins_w;
    unsigned int pad[4];
    bool using_bias, result_add;
} WinoParam;

typedef struct {
    unsigned int input_addr, weight_addr, bias_addr, output_addr;
    unsigned int input_shape[4];
    unsigned int output_c;
    unsigned int input_stride[4];
    unsigned int ins_h, ins_w;
    unsigned int pad[4];
    unsigned int rshift_bit;
    bool using_bias, result_add, if_relu, input_sign, bias_sign;
} WinoQuantParam;

typedef struct {
    unsigned int input_addr, output_addr;
    unsigned int input_shape[4];
    unsigned int kernel_h, kernel_w;
    unsigned int stride_h, stride_w;
    unsigned int ins_h, ins_w;
    unsigned int pad[4];
    float coeff; /* factor of every element of a window */
} SumPoolParam;

typedef struct {
    unsigned int input_addr, output_addr;
    unsigned int input_shape[4];
    unsigned int kernel_h, kernel_w;
    unsigned int stride_h, stride_w;
    unsigned int ins_h, ins_w;
    unsigned int pad[4];
} PoolParam;

typedef struct {
    unsigned int input_addr, output_addr;
    unsigned int input_shape[4];
    unsigned int kernel_h, kernel_w;
    unsigned int stride_h, stride_w;
    unsigned int ins_h, ins_w;
    unsigned int dilate_h, dilate_w;
    unsigned int pad[4];
    unsigned int rshift_bit;
    bool input_sign, if_relu;
} PoolQuantParam;

typedef struct {
    unsigned int input_addr, weight_addr, bias_addr, output_addr;
    unsigned int input_shape[4];
    unsigned int kernel_h, kernel_w;
    unsigned int stride_h, stride_w;
    unsigned int ins_h, ins_w;
    unsigned int dilate_h, dilate_w;
    unsigned int pad[4];
    bool using_bias;
} DepthwiseParam;

typedef struct {
    unsigned int input_addr, weight_addr, bias_addr, output_addr;
    unsigned int input_shape[4];
    unsigned int kernel_h, kernel_w;
    unsigned int stride_h, stride_w;
    unsigned int ins_h, ins_w;
    unsigned int dilate_h, dilate_w;
    unsigned int pad[4];
    unsigned int rshift_bit;
    bool using_bias, if_relu, input_sign, weight_sign, bias_sign;
} DepthwiseQuantParam;

typedef struct {
    unsigned int input_l_addr, input_r_addr, bias_addr, output_addr;
    unsigned int l_row, l_col;
    unsigned int l_tensor_w, l_tensor_c; /* columns per channel, channels */
    unsigned int r_tensor_w, r_tensor_c;
    bool l_trans, using_bias, result_add;
} MatmulParam;

typedef struct {
    unsigned int input_l_addr, input_r_addr, bias_addr, output_addr;
    unsigned int l_row, l_col;
    unsigned int l_tensor_w, l_tensor_c;
    unsigned int r_tensor_w, r_tensor_c;
    unsigned int lshfit_bit, rshift_bit;
    bool l_trans, using_bias, result_add, result_add_sign, if_relu;
    bool input_l_sign, input_r_sign, bias_sign, output_16bit;
} MatmulQuantParam;

typedef struct {
    unsigned int input0_addr, input1_addr, output_addr;
    unsigned int shape[4];
    unsigned int input0_stride[4], input1_stride[4], output_stride[4];
    BmAtomicOp op;
    bool input0_is_const;
    float input0_const;
    bool input1_is_const;
    float input1_const;
    float select_value;
    int shift_type;
} ArithParam;

typedef struct {
    unsigned int input0_addr, input1_addr, output_addr;
    unsigned int shape[4];
    unsigned int input0_stride[4], input1_stride[4], output_stride[4];
    BmAtomicOp op;
    bool input0_is_const, input1_is_const;
    unsigned int rshift_bit, lshift_bit, shift_type;
    bool input0_sign, input1_sign, input0_8bit, input1_8bit, output_8bit;
    bool input1_n_is1, input1_h_is1, input1_w_is1;
} ArithQuantParam;

typedef struct {
    unsigned int table_addr, index_addr, output_addr;
    unsigned int shape[4];
    unsigned int table_len, index_prec;
} TableLookupParam;

typedef struct {
    unsigned int input0_addr, input1_addr, output_addr;
    unsigned int shape[4];
    BmAtomicOp op;
    bool result_add;
    bool input0_is_const;
    float input0_const;
    bool input1_is_const;
    float input1_const;
} MDScalarParam;

typedef struct {
    unsigned int tensorA_addr, tensorB_addr, tensorS_addr, output_addr;
    unsigned int shape[4];
    BmAtomicOp op;
    bool result_add;
    bool tensorB_is_const;
    float tensorB_const;
    bool tensorS_is_const;
    float tensorS_const;
} MDLinearParam;

typedef struct {
    unsigned int tensorA_addr, tensorB_addr, tensorC_addr, tensorD_addr, tensorY_addr, tensorR_addr;
    unsigned int shape[4];
    bool tensorA_is_const;
    float tensorA_const;
    bool tensorB_is_const;
    float tensorB_const;
    bool tensorC_is_const;
    unsigned int tensorC_const;
    bool tensorD_is_const;
    unsigned int tensorD_const;
    int result_skip;
} MDCmpParam;

typedef struct {
    unsigned int input_addr, output_addr;
    unsigned int shape[4];
    BmAtomicOp op;
    unsigned int taylor_len, taylor_coef_addr;
} MDSFUParam;

typedef struct {
    unsigned int input0_addr, input1_addr, output_addr;
    BmAtomicOp op;
    unsigned int input0_c, input0_w, input0_w_last;
    unsigned int input1_c, input1_w;
} VecParam;

typedef struct {
    unsigned long long input_data_addr, input_index_addr, output_data_addr, output_index_addr;
    unsigned int input_len, output_len;
    BmSortOrder order;
    bool index_enable, index_auto;
} SortParam;

typedef struct {
    unsigned int data_addr, index_addr, output_addr;
    unsigned int length;
    BmGDType type;
} GatherDataParam;

typedef struct {
    unsigned long long src_addr, dst_addr, imm_addr; /* imm: work tensor */
    unsigned int shape[4];
    BmActType act_type;
} ActParam;

typedef struct {
    unsigned int src_addr, imm_addr;
    unsigned int shape[4];
} ExpParam;

typedef struct {
    unsigned int src_addr, dst_addr, imm_addr;
    unsigned int shape[4];
} ActiveParam;

typedef struct {
    BmDataType src_dtype, dst_dtype;
    unsigned long long src_addr, dst_addr;
    unsigned int shape[4];
} CastParam;

/* An address in local memory counts from the lane `local_idx`. */
typedef struct {
    unsigned long long src_addr, dst_addr;
    unsigned int length; /* elements */
    BmGDMAFormat format;
    BmGDMADir direction;
} MemCpy1DParam;

typedef struct {
    unsigned long long src_addr;
    unsigned int src_local_idx;
    unsigned int src_shape[4], src_stride[4];
    BmGDMAFormat src_format;
    unsigned long long dst_addr;
    unsigned int dst_local_idx;
    unsigned int dst_shape[4], dst_stride[4];
    BmGDMAFormat dst_format;
    BmGDMADir direction;
    bool transpose;
} MemCpy4DParam;

typedef struct {
    unsigned long long global_mem_addr;
    unsigned int local_mem_addr, local_mem_idx;
    unsigned int row, col, row_stride;
    unsigned int sec_size; /* columns per channel */
    BmGDMAFormat format;
    BmGDMADir direction;
    bool transpose, result_add;
} MemCpy2DParam;

typedef struct {
    unsigned long long start_addr;
    unsigned int shape[4], stride[4];
    const void* const_val; /* one element */
    BmGDMAFormat format;
    bool is_local_mem;
    unsigned int local_idx;
} MemSet4DParam;

typedef struct {
    unsigned int src_addr, src_local_idx, dst_addr, dst_local_idx;
    unsigned int src_c, src_w;
    BmGDMAFormat format;
    unsigned int src_c_stride, dst_c_stride;
} CWTransParam;

typedef struct {
    unsigned int data_local_mem_addr, mask_local_mem_addr, local_mem_idx;
    unsigned long long dst_global_mem_addr;
    unsigned int shape[4];
} MaskMemCpy4DPram;

typedef struct {
    unsigned int input_addr, output_addr;
    unsigned int shape[4];
} UnaryParam;

typedef struct {
    unsigned int input0_addr, input1_addr, output_addr;
    unsigned int shape[4];
} BinaryParam;

/* ---- Supported functions, each with the functions of okk.h that issue the same command. ---- */

/** okk_bdc_conv2d. */
void bm_atomic_conv(const ConvParam* param);
/** okk_bdc_depthwise2d. */
void bm_atomic_depthwise(const DepthwiseParam* param);
/** okk_bdc_avg_pool2d. */
void bm_atomic_avg_pool(const PoolParam* param);
/** okk_bdc_max_pool2d. */
void bm_atomic_max_pool(const PoolParam* param);
/** okk_bdc_avg_pool2d_v2. */
void bm_atomic_sum_pool(const SumPoolParam* param);
/** okk_bdc_matmul. */
void bm_atomic_matmul(const MatmulParam* param);
/** okk_bdc_add and its relatives: BM_MUL to BM_MIN, BM_AND to BM_DIV, BM_CPY. */
void bm_atomic_tensor_arithmetic(const ArithParam* param);
/** okk_bdc_fixed_point_packed_add and its relatives on two tensors: BM_MUL to BM_MIN. */
void bm_atomic_tensor_arithmetic_quantized(const ArithQuantParam* param);
/** okk_bdc_add and its relatives in the 128-Byte Aligned Layout. With result_add only BM_MUL. */
void bm_atomic_md_scalar(const MDScalarParam* param);
/** BM_MAC: okk_bdc_scale_bias, okk_bdc_scale if the summand is the constant 0, okk_bdc_bias if the
 * factor is the constant 1. */
void bm_atomic_md_linear(const MDLinearParam* param);
/** okk_bdc_rsqrt (BM_RSQRT), okk_bdc_fp32_to_int32 (BM_FP32_INT32). */
void bm_atomic_md_sfu(const MDSFUParam* param);
/** okk_bdc_relu, okk_bdc_sigmoid, okk_bdc_tanh. */
void bm_local_act(const ActParam* param);
/** okk_gdma_32bit_cpy_S2S and its relatives on one row. */
void bm_atomic_memcpy_1D(const MemCpy1DParam* param);
/** okk_gdma_32bit_matrix_S2L, okk_gdma_32bit_matrix_L2S. */
void bm_atomic_memcpy_2D(const MemCpy2DParam* param);
/** okk_gdma_32bit_cpy_S2L and its relatives. */
void bm_atomic_memcpy_4D(const MemCpy4DParam* param);
/** okk_gdma_32bit_set_C_local, okk_gdma_32bit_set_C_system and their relatives. */
void bm_atomic_memset_4D(const MemSet4DParam* param);

/* ---- Faults: no public document describes these functions. ---- */

void bm_atomic_conv_quantized(const ConvQuantParam* param);
void bm_atomic_winograd_quantized(const WinoQuantParam* param);
void bm_atomic_avg_pool_quantized(const PoolQuantParam* param);
void bm_atomic_max_pool_quantized(const PoolQuantParam* param);
void bm_atomic_depthwise_quantized(const DepthwiseQuantParam* param);
void bm_atomic_matmul_quantized(const MatmulQuantParam* param);
void bm_atomic_table_lookup(const TableLookupParam* param);
void bm_atomic_md_cmp(const MDCmpParam* param);
void bm_atomic_vec_correlation(const VecParam* param);
void bm_atomic_sort(const SortParam* param);
void bm_atomic_gather_data(const GatherDataParam* param);
void bm_local_exp(const ExpParam* param);
void bm_atomic_cwtrans(const CWTransParam* param);
void bm_atomic_mask_memcpy_4D(const MaskMemCpy4DPram* param);
unsigned int bm_get_mask_memcpy_res_num(void);

#ifdef __cplusplus
}
#endif
