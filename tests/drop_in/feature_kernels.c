/* SPDX-License-Identifier: Apache-2.0
 * Kernels that use instructions beyond the API reference where the machine has them:
 * feature_kernels.sh runs them on machines with and without. */
#include "okk.h"
#include "okk_features.h"

typedef struct {
    unsigned long long out; /* 4 channels of 16 words */
    unsigned long long in;  /* the same */
} Arguments;

static const dim4 kBlock = {1, 4, 1, 16};
enum { kOut = 0, kIn = 1024, kAmount = 2048, kShift = 3 };

/** out = in >> 3, arithmetic, where the processor knows how. */
static void shift_right(void) {
    if (okk_has_feature(OKK_FEATURE_INT_ALU)) {
        const dim4 one = {1, 4, 1, 1}, repeated = {0, 1, 0, 0};
        x32 amount;
        amount.s32 = kShift;
        okk_bdc_32bit_set_C(kAmount, amount, &one, 0);
        okk_bdc_int_shift_right(kOut, kIn, kAmount, &kBlock, 0, 0, &repeated, OKK_INT32, OKK_INT32,
                                OKK_INT32, false);
    } else {
        okk_bdc_32bit_arithmetic_shift_C(kOut, kIn, -kShift, &kBlock, 0, 0);
    }
}

void counts(const void* args) {
    const Arguments* a = (const Arguments*)args;
    int i;
    okk_initialize();
    for (i = 0; i < 64; ++i) ((int*)okk_global_mem_addr(a->out))[i] = 1000 * (i - 32) + i;
    okk_poll();
}
OKKERNEL_FUNC_REGISTER(counts);

void asks_first(const void* args) {
    const Arguments* a = (const Arguments*)args;
    okk_initialize();
    okk_gdma_32bit_cpy_S2L(kIn, a->in, &kBlock, 0, 0);
    shift_right();
    okk_gdma_32bit_cpy_L2S(a->out, kOut, &kBlock, 0, 0);
    okk_poll();
}
OKKERNEL_FUNC_REGISTER(asks_first);

void asks_nobody(const void* args) {
    const Arguments* a = (const Arguments*)args;
    okk_initialize();
    okk_gdma_32bit_cpy_S2L(kIn, a->in, &kBlock, 0, 0);
    okk_bdc_cast(kOut, kIn, &kBlock, 0, 0, OKK_FP16, OKK_INT32, false);
    okk_gdma_16bit_cpy_L2S(a->out, kOut, &kBlock, 0, 0);
    okk_poll();
}
OKKERNEL_FUNC_REGISTER(asks_nobody);
