/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel of README's command: y = a + b, and one that makes their values. */
#include "okk.h"

typedef struct {
    int count; /* at most 64, one per lane */
    unsigned long long y, a, b;
} sum_args_t;

void my_kernel(const void* args) {
    const sum_args_t* arg = (const sum_args_t*)args;
    const dim4 shape = {1, arg->count, 1, 1};
    okk_initialize();
    okk_gdma_32bit_cpy_S2L(0, arg->a, &shape, NULL, NULL);
    okk_gdma_32bit_cpy_S2L(128, arg->b, &shape, NULL, NULL);
    okk_bdc_add(256, 0, 128, &shape, NULL, NULL, NULL);
    okk_gdma_32bit_cpy_L2S(arg->y, 256, &shape, NULL, NULL);
    okk_poll();
}
OKKERNEL_FUNC_REGISTER(my_kernel);

typedef struct {
    int count;
    unsigned long long y;
} fill_args_t;

void make_values(const void* args) {
    const fill_args_t* arg = (const fill_args_t*)args;
    const dim4 shape = {1, arg->count, 1, 1};
    const x32 value = {.fp32 = 1.5f};
    okk_initialize();
    okk_bdc_32bit_set_C(0, value, &shape, NULL);
    okk_gdma_32bit_cpy_L2S(arg->y, 0, &shape, NULL, NULL);
    okk_poll();
}
OKKERNEL_FUNC_REGISTER(make_values);
