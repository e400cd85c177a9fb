/* SPDX-License-Identifier: Apache-2.0 */
/* int8 in 4N mode to fp32: x = q * scale. The batch is a multiple of four. */
#include "local_tiles.h"

typedef struct {
    unsigned long long output_addr, input_addr;
    int batch, channels, pixels;
    float scale;
} dequantise_args_t;

void dequantise(const void* args) {
    const dequantise_args_t* p = (const dequantise_args_t*)args;
    /* Six buffers: packed words, a work buffer, and four fp32 planes. */
    const int tile =
        min_int(min_int(p->pixels, 65535), (int)(okk_local_mem_size_per_npu() / 6 / 128 * 128) / 4);
    OKKERNEL_ASSERT(p->batch % 4 == 0);
    okk_initialize();
    for (int n = 0; n < p->batch; n += 4) {
        for (int c = 0; c < p->channels; c += okk_npu_num()) {
            for (int pixel = 0; pixel < p->pixels; pixel += tile) {
                const int lanes = min_int(okk_npu_num(), p->channels - c);
                const int part = min_int(tile, p->pixels - pixel);
                const dim4 shape = {4, lanes, 1, part}, words = {1, lanes, 1, part};
                const dim4 stride = {p->channels * p->pixels, p->pixels, 0, 1};
                const unsigned int plane_bytes = aligned_bytes(1, lanes, 1, part);
                const local_addr_t packed = 0, work = plane_bytes, values = 2 * plane_bytes;
                const unsigned int offset = (unsigned int)(c * p->pixels + pixel);
                okk_gdma_32bit_cpy_S2L(
                    packed,
                    p->input_addr +
                        4ULL * ((unsigned int)(n / 4 * p->channels * p->pixels) + offset),
                    &words, NULL, &stride);
                okk_bdc_4N_int8_to_fp32(values, packed, work, &shape, true, true);
                okk_bdc_mul_C(values, values, p->scale, &shape, NULL, NULL);
                okk_gdma_32bit_cpy_L2S(
                    p->output_addr + 4ULL * ((unsigned int)(n * p->channels * p->pixels) + offset),
                    values, &shape, &stride, NULL);
            }
        }
    }
    okk_poll();
}
OKKERNEL_FUNC_REGISTER(dequantise);
