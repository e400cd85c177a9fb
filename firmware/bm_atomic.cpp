// SPDX-License-Identifier: Apache-2.0
#include "firmware/bm_atomic.h"

#include "firmware/api_call.h"
#include "firmware/argument_fault.h"

using namespace okksim::firmware;

extern "C" {

#define OKKSIM_UNDOCUMENTED(name, parameter, instead)                                       \
    void name(const parameter*) {                                                           \
        Context& context = enter_api_call(__func__, __builtin_frame_address(0));            \
        run_api_call(context, [] {                                                          \
            throw_argument_fault(okksim::FaultCode::kUnsupported, "", "a call",             \
                                 "the API reference does not document the function, so the" \
                                 " simulator does not know what it does",                   \
                                 "call " instead);                                          \
        });                                                                                 \
    }

OKKSIM_UNDOCUMENTED(bm_atomic_conv, ConvParam, "okk_bdc_conv2d()")
OKKSIM_UNDOCUMENTED(bm_atomic_avg_pool, PoolParam, "okk_bdc_avg_pool2d()")
OKKSIM_UNDOCUMENTED(bm_atomic_max_pool, PoolParam, "okk_bdc_max_pool2d()")
OKKSIM_UNDOCUMENTED(bm_atomic_sum_pool, SumPoolParam, "okk_bdc_avg_pool2d_v2()")
OKKSIM_UNDOCUMENTED(bm_atomic_depthwise, DepthwiseParam, "okk_bdc_depthwise2d()")
OKKSIM_UNDOCUMENTED(bm_atomic_matmul, MatmulParam, "okk_bdc_matmul()")
OKKSIM_UNDOCUMENTED(bm_atomic_tensor_arithmetic, ArithParam, "okk_bdc_add() and its relatives")
OKKSIM_UNDOCUMENTED(bm_atomic_table_lookup, TableLookupParam,
                    "okk_bdc_lookup_exp() or okk_bdc_lookup_int32_to_fp32()")
OKKSIM_UNDOCUMENTED(bm_atomic_md_scalar, MDScalarParam, "okk_bdc_add_C() and its relatives")
OKKSIM_UNDOCUMENTED(bm_atomic_md_linear, MDLinearParam, "okk_bdc_scale_bias()")
OKKSIM_UNDOCUMENTED(bm_atomic_md_cmp, MDCmpParam,
                    "okk_bdc_greater_select_value() or okk_bdc_equal_select_value()")
OKKSIM_UNDOCUMENTED(bm_atomic_md_sfu, MDSFUParam,
                    "okk_bdc_taylor_exp(), okk_bdc_rsqrt() or okk_bdc_fp32_to_int32()")
OKKSIM_UNDOCUMENTED(bm_atomic_memcpy_1D, MemCpy1DParam,
                    "okk_gdma_32bit_cpy_S2L() and its relatives")
OKKSIM_UNDOCUMENTED(bm_atomic_memcpy_2D, MemCpy2DParam,
                    "okk_gdma_32bit_matrix_S2L() or okk_gdma_32bit_matrix_L2S()")
OKKSIM_UNDOCUMENTED(bm_atomic_memcpy_4D, MemCpy4DParam,
                    "okk_gdma_32bit_cpy_S2L() and its relatives")
OKKSIM_UNDOCUMENTED(bm_atomic_memset_4D, MemSet4DParam,
                    "okk_gdma_32bit_set_C_local() or okk_gdma_32bit_set_C_system()")
OKKSIM_UNDOCUMENTED(bm_local_exp, ExpParam, "okk_bdc_exp()")
OKKSIM_UNDOCUMENTED(bm_local_act, ActParam, "okk_bdc_relu(), okk_bdc_sigmoid() or okk_bdc_tanh()")

#undef OKKSIM_UNDOCUMENTED

}  // extern "C"
