/* SPDX-License-Identifier: Apache-2.0 */
/* fp32 to int8 in 4N mode: q = clamp(floor(x / scale + 0.5), -128, 127), four batch elements in one
 * word. The conversion truncates, so +128.5 first makes the values positive; flipping bit 7
 * subtracts the 128 again. The batch is a multiple of four. */
#include "local_tiles.h"

typedef struct {
    unsigned long long output_addr, input_addr;
    int batch, channels, pixels;
    float inverse_scale;
} quantise_args_t;

static void pack_words(local_addr_t words, local_addr_t bytes, unsigned int plane_bytes,
                       const dim4* plane) {
    for (int n = 1; n < 4; ++n) {
        const local_addr_t byte = bytes + (unsigned int)n * plane_bytes;
        okk_bdc_32bit_logical_shift_C(byte, byte, 8 * n, plane, NULL, NULL);
        okk_bdc_32bit_or(words, words, byte, plane, NULL, NULL, NULL);
    }
}

void quantise(const void* args) {
    const quantise_args_t* p = (const quantise_args_t*)args;
    const int tile =
        min_int(min_int(p->pixels, 65535), (int)(okk_local_mem_size_per_npu() / 8 / 128 * 128) / 4);
    const x32 sign = {.u32 = 0x80};
    OKKERNEL_ASSERT(p->batch % 4 == 0);
    okk_initialize();
    for (int n = 0; n < p->batch; n += 4) {
        for (int c = 0; c < p->channels; c += okk_npu_num()) {
            for (int pixel = 0; pixel < p->pixels; pixel += tile) {
                const int lanes = min_int(okk_npu_num(), p->channels - c);
                const int part = min_int(tile, p->pixels - pixel);
                const dim4 shape = {4, lanes, 1, part}, plane = {1, lanes, 1, part};
                const dim4 stride = {p->channels * p->pixels, p->pixels, 0, 1};
                const unsigned int plane_bytes = aligned_bytes(1, lanes, 1, part);
                const local_addr_t values = 0, bytes = 4 * plane_bytes;
                const unsigned int offset = (unsigned int)(c * p->pixels + pixel);
                okk_gdma_32bit_cpy_S2L(
                    values,
                    p->input_addr + 4ULL * ((unsigned int)(n * p->channels * p->pixels) + offset),
                    &shape, NULL, &stride);
                okk_bdc_mul_C(values, values, p->inverse_scale, &shape, NULL, NULL);
                okk_bdc_max_C(values, values, -128.0f, &shape, NULL, NULL);
                okk_bdc_min_C(values, values, 127.0f, &shape, NULL, NULL);
                okk_bdc_add_C(values, values, 128.5f, &shape, NULL, NULL);
                okk_bdc_fp32_to_int32(bytes, values, &shape);
                okk_bdc_32bit_xor_C(bytes, bytes, sign, &shape, NULL, NULL);
                pack_words(bytes, bytes, plane_bytes, &plane);
                okk_gdma_32bit_cpy_L2S(
                    p->output_addr +
                        4ULL * ((unsigned int)(n / 4 * p->channels * p->pixels) + offset),
                    bytes, &plane, &stride, NULL);
            }
        }
    }
    okk_poll();
}
OKKERNEL_FUNC_REGISTER(quantise);
