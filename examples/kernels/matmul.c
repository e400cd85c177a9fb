/* SPDX-License-Identifier: Apache-2.0 */
/* output[rows, cols] = left[rows, inner] * right[inner, cols] + bias[cols], of any size. A tile has
 * 32 columns in each lane. The inner dimension is tiled, too; the output tile accumulates the
 * partial results. */
#include "local_tiles.h"

typedef struct {
    unsigned long long output_addr, left_addr, right_addr, bias_addr;
    int rows, inner, cols;
} matmul_args_t;

/* 32 fp32 columns are 128 bytes, the smallest size of a row in a lane. */
enum { kColsPerLane = 32, kRowBytes = 128 };

static unsigned long long element(unsigned long long addr, int row, int row_stride, int col) {
    return addr + 4ULL * ((unsigned long long)row * (unsigned long long)row_stride +
                          (unsigned long long)col);
}

void matmul(const void* args) {
    const matmul_args_t* p = (const matmul_args_t*)args;
    /* The right matrix gets half of a lane's rows; left, output and one bias row share the rest. */
    const int lane_rows = (int)okk_local_mem_size_per_npu() / kRowBytes;
    const int width = okk_npu_num() * kColsPerLane;
    const int inner_tile = min_int(p->inner, min_int(width, lane_rows / 2));
    const int rows_tile = min_int(p->rows, (lane_rows - inner_tile - 1) / 2);
    const int cols_tile = min_int(p->cols, width);
    const local_addr_t right = 0;
    const local_addr_t left = (unsigned int)inner_tile * kRowBytes;
    const local_addr_t output = left + (unsigned int)rows_tile * kRowBytes;
    const local_addr_t bias = output + (unsigned int)rows_tile * kRowBytes;
    okk_initialize();
    for (int col = 0; col < p->cols; col += cols_tile) {
        const int cols = min_int(cols_tile, p->cols - col);
        const int cols_per_lane = min_int(kColsPerLane, cols);
        okk_gdma_32bit_matrix_S2L(bias, element(p->bias_addr, 0, 0, col), 1, cols, cols_per_lane,
                                  cols);
        for (int row = 0; row < p->rows; row += rows_tile) {
            const int rows = min_int(rows_tile, p->rows - row);
            for (int k = 0; k < p->inner; k += inner_tile) {
                const int inner = min_int(inner_tile, p->inner - k);
                const int inner_per_lane = min_int(kColsPerLane, inner);
                okk_gdma_32bit_matrix_S2L(left, element(p->left_addr, row, p->inner, k), rows,
                                          inner, inner_per_lane, p->inner);
                okk_gdma_32bit_matrix_S2L(right, element(p->right_addr, k, p->cols, col), inner,
                                          cols, cols_per_lane, p->cols);
                okk_bdc_matmul(output, left, right, bias, rows, inner, cols, inner_per_lane,
                               cols_per_lane, k == 0, k != 0);
            }
            okk_gdma_32bit_matrix_L2S(element(p->output_addr, row, p->cols, col), output, rows,
                                      cols, cols_per_lane, p->cols);
        }
    }
    okk_poll();
}
OKKERNEL_FUNC_REGISTER(matmul);
