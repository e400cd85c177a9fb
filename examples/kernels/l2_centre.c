/* SPDX-License-Identifier: Apache-2.0 */
/* Launches that share L2-SRAM: l2_channel_means stores each channel's mean there, and every
 * launch of l2_subtract_means reads it. l2_centre does both in one launch. */
#include "local_tiles.h"

typedef struct {
    unsigned long long output_addr, input_addr;
    int channels, height, width;
} l2_centre_args_t;

/* One channel per lane. A pooling window has at most 2047 elements in each direction. */
static void load_planes(const l2_centre_args_t* p, int c, const dim4* shape) {
    const unsigned int offset = (unsigned int)(c * p->height * p->width);
    OKKERNEL_ASSERT(aligned_bytes(1, 1, p->height, p->width) + 128 <= okk_local_mem_size_per_npu());
    okk_gdma_32bit_cpy_S2L(0, p->input_addr + 4ULL * offset, shape, NULL, NULL);
}

static void store_means(const l2_centre_args_t* p) {
    const local_addr_t mean = aligned_bytes(1, 1, p->height, p->width);
    OKKERNEL_ASSERT((unsigned int)p->channels * 4 <= okk_l2_sram_size());
    for (int c = 0; c < p->channels; c += okk_npu_num()) {
        const int lanes = min_int(okk_npu_num(), p->channels - c);
        const dim4 shape = {1, lanes, p->height, p->width}, means = {1, lanes, 1, 1};
        load_planes(p, c, &shape);
        okk_bdc_avg_pool2d(mean, 0, &shape, p->height, p->width, NULL, NULL);
        okk_gdma_32bit_cpy_L2S(okk_l2_sram_start_addr() + 4ULL * (unsigned int)c, mean, &means,
                               NULL, NULL);
    }
}

static void subtract_means(const l2_centre_args_t* p) {
    const local_addr_t mean = aligned_bytes(1, 1, p->height, p->width);
    const dim4 same_in_lane = {0, 1, 0, 0};
    for (int c = 0; c < p->channels; c += okk_npu_num()) {
        const int lanes = min_int(okk_npu_num(), p->channels - c);
        const dim4 shape = {1, lanes, p->height, p->width}, means = {1, lanes, 1, 1};
        load_planes(p, c, &shape);
        okk_gdma_32bit_cpy_S2L(mean, okk_l2_sram_start_addr() + 4ULL * (unsigned int)c, &means,
                               NULL, NULL);
        okk_bdc_sub(0, 0, mean, &shape, NULL, NULL, &same_in_lane);
        okk_gdma_32bit_cpy_L2S(p->output_addr + 4ULL * (unsigned int)(c * p->height * p->width), 0,
                               &shape, NULL, NULL);
    }
}

void l2_channel_means(const void* args) {
    okk_initialize();
    store_means((const l2_centre_args_t*)args);
    okk_poll();
}
OKKERNEL_FUNC_REGISTER(l2_channel_means);

void l2_subtract_means(const void* args) {
    okk_initialize();
    subtract_means((const l2_centre_args_t*)args);
    okk_poll();
}
OKKERNEL_FUNC_REGISTER(l2_subtract_means);

void l2_centre(const void* args) {
    okk_initialize();
    store_means((const l2_centre_args_t*)args);
    subtract_means((const l2_centre_args_t*)args);
    okk_poll();
}
OKKERNEL_FUNC_REGISTER(l2_centre);
