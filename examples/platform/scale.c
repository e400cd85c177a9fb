/* SPDX-License-Identifier: Apache-2.0 */
/* output = scale * input, a tile of one row per lane at a time. */
#include <okk.h>

typedef struct {
    unsigned long long output, input;
    int count;
    float scale;
} scale_args_t;

enum { kWidth = 1024 };

void scale(const void* args) {
    const scale_args_t* p = (const scale_args_t*)args;
    int done, left;
    okk_initialize();
    for (done = 0; done < p->count; done += left) {
        const unsigned long long offset = 4ULL * (unsigned long long)done;
        dim4 shape = {1, 1, 1, 1};
        left = p->count - done;
        shape.w = left < kWidth ? left : kWidth;
        shape.c = left / shape.w < okk_npu_num() ? left / shape.w : okk_npu_num();
        left = shape.c * shape.w;
        okk_gdma_32bit_cpy_S2L(0, p->input + offset, &shape, NULL, NULL);
        okk_bdc_mul_C(4 * kWidth, 0, p->scale, &shape, NULL, NULL);
        okk_gdma_32bit_cpy_L2S(p->output + offset, 4 * kWidth, &shape, NULL, NULL);
    }
    okk_poll();
}
OKKERNEL_FUNC_REGISTER(scale);
