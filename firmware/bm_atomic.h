/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/* The engines' commands under the names that the vendor's kit gives them besides okk.h. Projects
 * include the header for what it includes; the API reference documents none of these functions, so
 * calling one ends the launch with a fault that names the okk function to call instead. Their
 * parameter structs are known by name only. C99 and C++. */

#include "okk.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct okksim_conv_param ConvParam;
typedef struct okksim_pool_param PoolParam;
typedef struct okksim_sum_pool_param SumPoolParam;
typedef struct okksim_depthwise_param DepthwiseParam;
typedef struct okksim_matmul_param MatmulParam;
typedef struct okksim_arith_param ArithParam;
typedef struct okksim_table_lookup_param TableLookupParam;
typedef struct okksim_md_scalar_param MDScalarParam;
typedef struct okksim_md_linear_param MDLinearParam;
typedef struct okksim_md_cmp_param MDCmpParam;
typedef struct okksim_md_sfu_param MDSFUParam;
typedef struct okksim_exp_param ExpParam;
typedef struct okksim_act_param ActParam;
typedef struct okksim_memcpy_1d_param MemCpy1DParam;
typedef struct okksim_memcpy_2d_param MemCpy2DParam;
typedef struct okksim_memcpy_4d_param MemCpy4DParam;
typedef struct okksim_memset_4d_param MemSet4DParam;

/** okk_bdc_conv2d. */
void bm_atomic_conv(const ConvParam* param);
/** okk_bdc_avg_pool2d. */
void bm_atomic_avg_pool(const PoolParam* param);
/** okk_bdc_max_pool2d. */
void bm_atomic_max_pool(const PoolParam* param);
/** okk_bdc_avg_pool2d_v2. */
void bm_atomic_sum_pool(const SumPoolParam* param);
/** okk_bdc_depthwise2d. */
void bm_atomic_depthwise(const DepthwiseParam* param);
/** okk_bdc_matmul. */
void bm_atomic_matmul(const MatmulParam* param);
/** okk_bdc_add and its relatives. */
void bm_atomic_tensor_arithmetic(const ArithParam* param);
/** okk_bdc_lookup_exp, okk_bdc_lookup_int32_to_fp32. */
void bm_atomic_table_lookup(const TableLookupParam* param);
/** okk_bdc_add_C and its relatives. */
void bm_atomic_md_scalar(const MDScalarParam* param);
/** okk_bdc_scale_bias. */
void bm_atomic_md_linear(const MDLinearParam* param);
/** okk_bdc_greater_select_value, okk_bdc_equal_select_value. */
void bm_atomic_md_cmp(const MDCmpParam* param);
/** okk_bdc_taylor_exp, okk_bdc_rsqrt, okk_bdc_fp32_to_int32. */
void bm_atomic_md_sfu(const MDSFUParam* param);
/** okk_bdc_exp. */
void bm_local_exp(const ExpParam* param);
/** okk_bdc_relu, okk_bdc_sigmoid, okk_bdc_tanh. */
void bm_local_act(const ActParam* param);
/** okk_gdma_32bit_cpy_S2L and its relatives. */
void bm_atomic_memcpy_1D(const MemCpy1DParam* param);
/** okk_gdma_32bit_matrix_S2L, okk_gdma_32bit_matrix_L2S. */
void bm_atomic_memcpy_2D(const MemCpy2DParam* param);
/** okk_gdma_32bit_cpy_S2L and its relatives. */
void bm_atomic_memcpy_4D(const MemCpy4DParam* param);
/** okk_gdma_32bit_set_C_local, okk_gdma_32bit_set_C_system. */
void bm_atomic_memset_4D(const MemSet4DParam* param);

#ifdef __cplusplus
}
#endif
