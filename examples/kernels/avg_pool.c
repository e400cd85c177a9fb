/* SPDX-License-Identifier: Apache-2.0 */
/* Average pooling; padding counts as zeros. */
#include "local_tiles.h"

typedef struct {
    unsigned long long output_addr, input_addr;
    int planes, height, width, window, stride, padding;
} avg_pool_args_t;

void avg_pool(const void* args) {
    const avg_pool_args_t* p = (const avg_pool_args_t*)args;
    const int out_h = (p->height + 2 * p->padding - p->window) / p->stride + 1;
    const int out_w = (p->width + 2 * p->padding - p->window) / p->stride + 1;
    const Padding padding = {p->padding, p->padding, p->padding, p->padding};
    const dim2 stride = {p->stride, p->stride};
    /* A pooling treats batch and channels equally: all planes follow, several per lane. */
    const unsigned int plane_bytes =
        aligned_bytes(1, 1, p->height, p->width) + aligned_bytes(1, 1, out_h, out_w);
    const int per_lane = (int)(okk_local_mem_size_per_npu() / plane_bytes);
    const int tile = min_int(4095, okk_npu_num() * per_lane);
    const local_addr_t input = 0;
    OKKERNEL_ASSERT(per_lane > 0);
    okk_initialize();
    for (int plane = 0; plane < p->planes; plane += tile) {
        const dim4 in_shape = {1, min_int(tile, p->planes - plane), p->height, p->width};
        const dim4 out_shape = {1, in_shape.c, out_h, out_w};
        const local_addr_t output = aligned_bytes(1, in_shape.c, p->height, p->width);
        okk_gdma_32bit_cpy_S2L(input,
                               p->input_addr + 4ULL * (unsigned int)(plane * p->height * p->width),
                               &in_shape, NULL, NULL);
        okk_bdc_avg_pool2d(output, input, &in_shape, p->window, p->window, &padding, &stride);
        okk_gdma_32bit_cpy_L2S(p->output_addr + 4ULL * (unsigned int)(plane * out_h * out_w),
                               output, &out_shape, NULL, NULL);
    }
    okk_poll();
}
OKKERNEL_FUNC_REGISTER(avg_pool);
