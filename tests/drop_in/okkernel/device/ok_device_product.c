/* SPDX-License-Identifier: Apache-2.0 */
/* A matrix product whose left operand has fewer columns than a channel may hold. The header and
 * the white space of DIV_UP are those of real projects. */
#include "bm_atomic.h"
#include "bmlib_runtime.h"
#include "okk.h"
/* clang-format off */
#define DIV_UP(a, b) (((a)-1) / (b) + 1)
/* clang-format on */
#define NO_USE 0
#undef OKKERNEL_LOG
#define OKKERNEL_LOG(...) \
    {}

typedef struct {
    int rows, inner, cols;
    unsigned long long left_addr, right_addr, output_addr;
} __attribute__((packed)) param_t;

void product(const void* args) {
    const param_t* param = (const param_t*)args;
    okk_initialize();
    OKKERNEL_LOG("%d", param->rows);
    const int per_channel = DIV_UP(param->cols, okk_npu_num());
    okk_gdma_32bit_matrix_S2L(0, param->left_addr, param->rows, param->inner, 16, param->inner);
    okk_gdma_32bit_matrix_S2L(8192, param->right_addr, param->inner, param->cols, per_channel,
                              param->cols);
    okk_bdc_matmul(16384, 0, 8192, NO_USE, param->rows, param->inner, param->cols, 16, per_channel,
                   false, false);
    okk_gdma_32bit_matrix_L2S(param->output_addr, 16384, param->rows, param->cols, per_channel,
                              param->cols);
    okk_poll();
}
OKKERNEL_FUNC_REGISTER(product);
