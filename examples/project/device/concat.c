/* SPDX-License-Identifier: Apache-2.0 */
/* Concatenation of two tensors along the channels: copies within system memory. */
#include "okk.h"

typedef struct {
    unsigned long long output_addr;
    unsigned long long left_addr;
    unsigned long long right_addr;
    int N, left_C, right_C, H, W;
} __attribute__((packed)) param_t;

void concat(const void* args) {
    param_t* param = (param_t*)args;
    okk_initialize();
#ifdef USING_CMODEL
    printf("concat: %d + %d channels\n", param->left_C, param->right_C);
    assert(param->left_C > 0 && param->right_C > 0);
#endif
    dim4 left = {.n = param->N, .c = param->left_C, .h = param->H, .w = param->W};
    dim4 right = {.n = param->N, .c = param->right_C, .h = param->H, .w = param->W};
    dim4 output = {.n = param->N, .c = left.c + right.c, .h = param->H, .w = param->W};
    dim4 output_stride;
    okk_continuous_stride(&output_stride, &output);
    okk_gdma_32bit_cpy_S2S(param->output_addr, param->left_addr, &left, &output_stride, NULL);
    unsigned long long skip = (unsigned long long)left.c * left.h * left.w * sizeof(float);
    okk_gdma_32bit_cpy_S2S(param->output_addr + skip, param->right_addr, &right, &output_stride,
                           NULL);
    okk_poll();
}
OKKERNEL_FUNC_REGISTER(concat);
