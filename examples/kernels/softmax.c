/* SPDX-License-Identifier: Apache-2.0 */
/* Softmax of every row of a matrix: one row per lane. Maximum and sum are then poolings, and
 * values per row are constants per channel. cols <= 2047, the largest pooling window. */
#include "local_tiles.h"

typedef struct {
    unsigned long long output_addr, input_addr;
    int rows, cols;
} softmax_args_t;

void softmax(const void* args) {
    const softmax_args_t* p = (const softmax_args_t*)args;
    const unsigned int row_bytes = aligned_bytes(1, 1, 1, p->cols);
    const local_addr_t values = 0, exponentials = row_bytes, work = 2 * row_bytes;
    const local_addr_t per_row = 3 * row_bytes;
    OKKERNEL_ASSERT(p->cols <= 2047);
    OKKERNEL_ASSERT(per_row + 128 <= okk_local_mem_size_per_npu());
    okk_initialize();
    for (int row = 0; row < p->rows; row += okk_npu_num()) {
        const dim4 shape = {1, min_int(okk_npu_num(), p->rows - row), 1, p->cols};
        const dim4 one = {1, shape.c, 1, 1};
        const unsigned long long offset = 4ULL * (unsigned long long)(row * p->cols);
        okk_gdma_32bit_cpy_S2L(values, p->input_addr + offset, &shape, NULL, NULL);
        okk_bdc_max_pool2d(per_row, values, &shape, 1, p->cols, NULL, NULL);
        okk_bdc_neg(per_row, per_row, &one, NULL, NULL);
        okk_bdc_bias(values, values, per_row, &shape, NULL, NULL);
        okk_bdc_max_C(values, values, -80.0f, &shape, NULL, NULL); /* range of exp */
        okk_bdc_exp(exponentials, values, work, &shape);
        okk_bdc_avg_pool2d_v2(per_row, exponentials, &shape, 1.0f, 1, p->cols, NULL, NULL);
        okk_bdc_reciprocal(per_row, per_row, &one, NULL, NULL);
        okk_bdc_scale(values, exponentials, per_row, &shape, NULL, NULL);
        okk_gdma_32bit_cpy_L2S(p->output_addr + offset, values, &shape, NULL, NULL);
    }
    okk_poll();
}
OKKERNEL_FUNC_REGISTER(softmax);
