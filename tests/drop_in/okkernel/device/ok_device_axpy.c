/* SPDX-License-Identifier: Apache-2.0 */
#include "okk.h"
#ifndef NULL
#define NULL 0
#endif
#define DIV_UP(a, b) (((a)-1) / (b) + 1)
#define MIN(a, b) ((a) < (b) ? (a) : (b))

typedef struct {
    int count;
    float factor;
    unsigned long long x_addr;
    unsigned long long y_addr;
} __attribute__((packed)) param_t;

void axpy(const void* args) {
    const param_t* param = (const param_t*)args;
    okk_initialize();
    const int lanes = okk_npu_num();
    const int step = DIV_UP(param->count, lanes);
    OKKERNEL_ASSERT(step * lanes >= param->count);
    for (int done = 0; done < param->count; done += lanes) {
        dim4 shape = {.n = 1, .c = MIN(lanes, param->count - done), .h = 1, .w = 1};
        okk_gdma_32bit_cpy_S2L(0, param->x_addr + done * sizeof(float), &shape, NULL, NULL);
        okk_gdma_32bit_cpy_S2L(128, param->y_addr + done * sizeof(float), &shape, NULL, NULL);
        okk_bdc_mac_C(128, 0, param->factor, &shape, NULL, NULL);
        okk_gdma_32bit_cpy_L2S(param->y_addr + done * sizeof(float), 128, &shape, NULL, NULL);
    }
    okk_poll();
}
OKKERNEL_FUNC_REGISTER(axpy);
