// SPDX-License-Identifier: Apache-2.0
#include "firmware/atomic/atomic_commands.h"
#include "firmware/bm_atomic.h"
#include "firmware/calls/api_call.h"
#include "firmware/calls/argument_fault.h"
#include "firmware/calls/issue.h"

using namespace okksim::firmware;

namespace {

/// Carries out a call of the function `function` as the command that `command_of` returns. It is
/// inlined, so that the frame is the function's. It reads the parameters before it enters the
/// runtime, so that a bad pointer is the kernel's fault.
template <typename Parameters, typename CommandOf>
[[gnu::always_inline]] inline void call(const char* function, const Parameters* param,
                                        const CommandOf& command_of) {
    Context& context = enter_api_call(function, __builtin_frame_address(0));
    const Parameters read = *param;
    run_api_call(context, [&] {
        const AtomicCommand made = command_of(read, context.machine());
        issue_call(context, made.command, made.nulls);
    });
}

[[gnu::always_inline]] inline void refuse(const char* function, const char* instead) {
    Context& context = enter_api_call(function, __builtin_frame_address(0));
    run_api_call(context, [&] {
        throw_argument_fault(
            okksim::FaultCode::kUnsupported, "", "a call",
            "the API reference does not document the function, so the simulator cannot run it",
            instead);
    });
}

}  // namespace

extern "C" {

#define OKKSIM_ATOMIC(name, parameters) \
    void name(const parameters* param) { call(__func__, param, command_of_##name); }

OKKSIM_ATOMIC(bm_atomic_conv, ConvParam)
OKKSIM_ATOMIC(bm_atomic_depthwise, DepthwiseParam)
OKKSIM_ATOMIC(bm_atomic_avg_pool, PoolParam)
OKKSIM_ATOMIC(bm_atomic_max_pool, PoolParam)
OKKSIM_ATOMIC(bm_atomic_sum_pool, SumPoolParam)
OKKSIM_ATOMIC(bm_atomic_matmul, MatmulParam)
OKKSIM_ATOMIC(bm_atomic_tensor_arithmetic, ArithParam)
OKKSIM_ATOMIC(bm_atomic_tensor_arithmetic_quantized, ArithQuantParam)
OKKSIM_ATOMIC(bm_atomic_md_scalar, MDScalarParam)
OKKSIM_ATOMIC(bm_atomic_md_linear, MDLinearParam)
OKKSIM_ATOMIC(bm_atomic_md_sfu, MDSFUParam)
OKKSIM_ATOMIC(bm_local_act, ActParam)
OKKSIM_ATOMIC(bm_atomic_memcpy_1D, MemCpy1DParam)
OKKSIM_ATOMIC(bm_atomic_memcpy_2D, MemCpy2DParam)
OKKSIM_ATOMIC(bm_atomic_memcpy_4D, MemCpy4DParam)

#undef OKKSIM_ATOMIC

void bm_atomic_memset_4D(const MemSet4DParam* param) {
    // The kernel's pointer `const_val` shows the value, so a bad pointer is the kernel's fault
    // here, too.
    const x32 value = value_behind(*param);
    call(__func__, param, [&](const MemSet4DParam& p, const okksim::isa::MachineShape& machine) {
        return command_of_bm_atomic_memset_4D(p, value.u32, machine);
    });
}

#define OKKSIM_UNDOCUMENTED(name, parameters, instead) \
    void name(const parameters*) { refuse(__func__, instead); }

OKKSIM_UNDOCUMENTED(bm_atomic_conv_quantized, ConvQuantParam,
                    "call okk_bdc_conv2d() with float operands")
OKKSIM_UNDOCUMENTED(bm_atomic_winograd_quantized, WinoQuantParam,
                    "call okk_bdc_conv2d() with float operands")
OKKSIM_UNDOCUMENTED(bm_atomic_avg_pool_quantized, PoolQuantParam,
                    "call okk_bdc_avg_pool2d() with float operands")
OKKSIM_UNDOCUMENTED(bm_atomic_max_pool_quantized, PoolQuantParam,
                    "call okk_bdc_max_pool2d() with float operands")
OKKSIM_UNDOCUMENTED(bm_atomic_depthwise_quantized, DepthwiseQuantParam,
                    "call okk_bdc_depthwise2d() with float operands")
OKKSIM_UNDOCUMENTED(bm_atomic_matmul_quantized, MatmulQuantParam,
                    "call okk_bdc_matmul() with float operands")
OKKSIM_UNDOCUMENTED(bm_atomic_table_lookup, TableLookupParam,
                    "call okk_bdc_lookup_exp() or okk_bdc_lookup_int32_to_fp32()")
OKKSIM_UNDOCUMENTED(bm_atomic_md_cmp, MDCmpParam,
                    "call okk_bdc_greater_select_value() or okk_bdc_equal_select_value()")
OKKSIM_UNDOCUMENTED(bm_atomic_vec_correlation, VecParam, "call okk_bdc_matmul() or okk_bdc_mul()")
OKKSIM_UNDOCUMENTED(bm_atomic_sort, SortParam, "sort on the control processor, or on the host")
OKKSIM_UNDOCUMENTED(bm_atomic_gather_data, GatherDataParam,
                    "copy each element by okk_gdma_32bit_cpy_S2S()")
OKKSIM_UNDOCUMENTED(bm_local_exp, ExpParam, "call okk_bdc_exp()")
OKKSIM_UNDOCUMENTED(bm_atomic_cwtrans, CWTransParam,
                    "copy through system memory by okk_gdma_32bit_cpy_L2S() and "
                    "okk_gdma_32bit_cpy_S2L()")
OKKSIM_UNDOCUMENTED(bm_atomic_mask_memcpy_4D, MaskMemCpy4DPram,
                    "choose by okk_bdc_greater_select_value() and copy by "
                    "okk_gdma_32bit_cpy_L2S()")

#undef OKKSIM_UNDOCUMENTED

unsigned int bm_get_mask_memcpy_res_num(void) {
    refuse(__func__, "count the elements of bm_atomic_mask_memcpy_4D() on the host");
    return 0;
}

}  // extern "C"
