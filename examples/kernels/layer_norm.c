/* SPDX-License-Identifier: Apache-2.0 */
/* Layer normalisation: output = (x - mean) / sqrt(variance + epsilon) * gamma + beta per row. One
 * row per lane; gamma and beta are the same in all lanes, loaded with a channel stride of zero. */
#include "local_tiles.h"

typedef struct {
    unsigned long long output_addr, input_addr, gamma_addr, beta_addr;
    int rows, cols;
    float epsilon;
} layer_norm_args_t;

static void load_for_all_lanes(local_addr_t dst, unsigned long long src, int cols) {
    const dim4 shape = {1, okk_npu_num(), 1, cols};
    const dim4 same_row = {0, 0, 0, 1};
    okk_gdma_32bit_cpy_S2L(dst, src, &shape, NULL, &same_row);
}

void layer_norm(const void* args) {
    const layer_norm_args_t* p = (const layer_norm_args_t*)args;
    const unsigned int row_bytes = aligned_bytes(1, 1, 1, p->cols);
    const local_addr_t gamma = 0, beta = row_bytes, values = 2 * row_bytes;
    const local_addr_t squares = 3 * row_bytes, per_row = 4 * row_bytes;
    OKKERNEL_ASSERT(p->cols <= 2047);
    OKKERNEL_ASSERT(per_row + 128 <= okk_local_mem_size_per_npu());
    okk_initialize();
    load_for_all_lanes(gamma, p->gamma_addr, p->cols);
    load_for_all_lanes(beta, p->beta_addr, p->cols);
    for (int row = 0; row < p->rows; row += okk_npu_num()) {
        const dim4 shape = {1, min_int(okk_npu_num(), p->rows - row), 1, p->cols};
        const dim4 one = {1, shape.c, 1, 1};
        const unsigned long long offset = 4ULL * (unsigned long long)(row * p->cols);
        okk_gdma_32bit_cpy_S2L(values, p->input_addr + offset, &shape, NULL, NULL);
        okk_bdc_avg_pool2d(per_row, values, &shape, 1, p->cols, NULL, NULL);
        okk_bdc_neg(per_row, per_row, &one, NULL, NULL);
        okk_bdc_bias(values, values, per_row, &shape, NULL, NULL);
        okk_bdc_mul(squares, values, values, &shape, NULL, NULL, NULL);
        okk_bdc_avg_pool2d(per_row, squares, &shape, 1, p->cols, NULL, NULL);
        okk_bdc_add_C(per_row, per_row, p->epsilon, &one, NULL, NULL);
        okk_bdc_rsqrt(per_row, per_row, &one);
        okk_bdc_scale(values, values, per_row, &shape, NULL, NULL);
        okk_bdc_mul(values, values, gamma, &shape, NULL, NULL, NULL);
        okk_bdc_add(values, values, beta, &shape, NULL, NULL, NULL);
        okk_gdma_32bit_cpy_L2S(p->output_addr + offset, values, &shape, NULL, NULL);
    }
    okk_poll();
}
OKKERNEL_FUNC_REGISTER(layer_norm);
