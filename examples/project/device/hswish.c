/* SPDX-License-Identifier: Apache-2.0 */
/* h-swish: y = x * min(max(x + 3, 0), 6) / 6. */
#include "okk.h"

#define MIN(a, b) ((a) < (b) ? (a) : (b))

typedef struct {
    unsigned long long output_addr;
    unsigned long long input_addr;
    int N, C, H, W;
} __attribute__((packed)) param_t;

void hswish(const void* args) {
    param_t* param = (param_t*)args;
    okk_initialize();
    int length = param->N * param->C * param->H * param->W;
    int half = okk_local_mem_size_per_npu() / 2 / 128 * 128;
    local_addr_t input_addr = 0, work_addr = half;
    for (int done = 0; done < length;) {
        int cols = MIN(length - done, MIN(half / (int)sizeof(float), 1024));
        int rows = MIN((length - done) / cols, okk_npu_num());
        dim4 shape = {.n = 1, .c = rows, .h = 1, .w = cols};
        unsigned long long skip = (unsigned long long)done * sizeof(float);
        okk_gdma_32bit_cpy_S2L(input_addr, param->input_addr + skip, &shape, NULL, NULL);
        okk_bdc_add_C(work_addr, input_addr, 3.f, &shape, NULL, NULL);
        okk_bdc_max_C(work_addr, work_addr, 0.f, &shape, NULL, NULL);
        okk_bdc_min_C(work_addr, work_addr, 6.f, &shape, NULL, NULL);
        okk_bdc_mul(work_addr, work_addr, input_addr, &shape, NULL, NULL, NULL);
        okk_bdc_mul_C(work_addr, work_addr, 1.f / 6.f, &shape, NULL, NULL);
        okk_gdma_32bit_cpy_L2S(param->output_addr + skip, work_addr, &shape, NULL, NULL);
        done += rows * cols;
    }
    okk_poll();
}
OKKERNEL_FUNC_REGISTER(hswish);
