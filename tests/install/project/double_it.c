/* SPDX-License-Identifier: Apache-2.0 */
#include <okk.h>

typedef struct {
    unsigned long long output;
    unsigned long long input;
} double_it_args_t;

void double_it(const void* args) {
    const double_it_args_t* arg = (const double_it_args_t*)args;
    const dim4 shape = {1, 8, 1, 1};
    okk_initialize();
    okk_gdma_32bit_cpy_S2L(0, arg->input, &shape, NULL, NULL);
    okk_bdc_mul_C(128, 0, 2.0f, &shape, NULL, NULL);
    okk_gdma_32bit_cpy_L2S(arg->output, 128, &shape, NULL, NULL);
    okk_poll();
}
OKKERNEL_FUNC_REGISTER(double_it);
