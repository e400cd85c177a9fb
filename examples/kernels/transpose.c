/* SPDX-License-Identifier: Apache-2.0 */
/* NCHW to NHWC by strides: planes are read in order, and their pixels are written with the stride
 * of a pixel. The W stride of a copy is always one, so the writing copy uses H for the pixels. */
#include "local_tiles.h"

typedef struct {
    unsigned long long output_addr, input_addr;
    int batch, channels, height, width;
} transpose_args_t;

void transpose(const void* args) {
    const transpose_args_t* p = (const transpose_args_t*)args;
    const int pixels = p->height * p->width;
    const int tile = min_int(pixels, min_int(65535, (int)okk_local_mem_size_per_npu() / 4));
    okk_initialize();
    for (int n = 0; n < p->batch; ++n) {
        for (int c = 0; c < p->channels; c += okk_npu_num()) {
            for (int pixel = 0; pixel < pixels; pixel += tile) {
                const int lanes = min_int(okk_npu_num(), p->channels - c);
                const int part = min_int(tile, pixels - pixel);
                const dim4 read_shape = {1, lanes, 1, part}, write_shape = {1, lanes, part, 1};
                const dim4 plane_stride = {0, pixels, 0, 1}; /* source, system memory */
                const dim4 local_stride = {0, 0, 1, 1};      /* one channel in each lane */
                const dim4 pixel_stride = {0, 1, p->channels, 1};
                const unsigned int first = (unsigned int)(n * p->channels * pixels);
                okk_gdma_32bit_cpy_S2L(
                    0, p->input_addr + 4ULL * (first + (unsigned int)(c * pixels + pixel)),
                    &read_shape, NULL, &plane_stride);
                okk_gdma_32bit_cpy_L2S(
                    p->output_addr + 4ULL * (first + (unsigned int)(pixel * p->channels + c)), 0,
                    &write_shape, &pixel_stride, &local_stride);
            }
        }
    }
    okk_poll();
}
OKKERNEL_FUNC_REGISTER(transpose);
