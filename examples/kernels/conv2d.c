/* SPDX-License-Identifier: Apache-2.0 */
/* 2D convolution with bias. The weights stay in local memory in 2IC mode; the input is read in
 * bands of rows that fit, each with its padding. In system memory the weights are
 * [ceil(in_c / 2)][out_c][kernel][kernel][2]: the two channels of a pair are adjacent. */
#include "local_tiles.h"

typedef struct {
    unsigned long long output_addr, input_addr, weight_addr, bias_addr;
    int batch, in_c, out_c, height, width, kernel, stride, padding;
} conv2d_args_t;

/* Bytes per lane of a band of `rows` output rows. */
static unsigned int band_bytes(const conv2d_args_t* p, int rows, int out_w) {
    const int in_rows = min_int((rows - 1) * p->stride + p->kernel, p->height);
    return aligned_bytes(1, p->in_c, in_rows, p->width) + aligned_bytes(1, p->out_c, rows, out_w);
}

void conv2d(const void* args) {
    const conv2d_args_t* p = (const conv2d_args_t*)args;
    const int out_h = (p->height + 2 * p->padding - p->kernel) / p->stride + 1;
    const int out_w = (p->width + 2 * p->padding - p->kernel) / p->stride + 1;
    const int pairs = DIV_UP(p->in_c, 2), slots = okk_channle_num_per_npu(0, p->out_c);
    const int taps = p->kernel * p->kernel;
    /* The two floats of a pair are adjacent in W; the strides of a 2IC tensor count pairs. */
    const dim4 weight_shape = {pairs, p->out_c, p->kernel, 2 * p->kernel};
    const dim4 pair_stride = {slots * taps, taps, p->kernel, 1};
    const dim4 bias_shape = {1, p->out_c, 1, 1};
    const dim2 stride = {p->stride, p->stride};
    const local_addr_t weight = 0;
    const local_addr_t bias = align_up((unsigned int)(pairs * slots * taps) * 8U, 128);
    const local_addr_t output = align_up(bias + (unsigned int)slots * 4U, 128);
    dim4 compact;
    int band = out_h;
    while (band > 0 && output + band_bytes(p, band, out_w) > okk_local_mem_size_per_npu()) --band;
    OKKERNEL_ASSERT(band > 0);
    okk_initialize();
    okk_compact_stride(&compact, 0, &weight_shape);
    okk_gdma_32bit_cpy_S2L(weight, p->weight_addr, &weight_shape, &compact, NULL);
    okk_compact_stride(&compact, 0, &bias_shape);
    okk_gdma_32bit_cpy_S2L(bias, p->bias_addr, &bias_shape, &compact, NULL);
    for (int n = 0; n < p->batch; ++n) {
        for (int row = 0; row < out_h; row += band) {
            const int rows = min_int(band, out_h - row);
            const int first = row * p->stride - p->padding;
            const int last = first + (rows - 1) * p->stride + p->kernel; /* exclusive */
            const int top = first < 0 ? -first : 0,
                      bottom = last > p->height ? last - p->height : 0;
            const Padding padding = {top, bottom, p->padding, p->padding};
            const dim4 in_shape = {1, p->in_c, last - bottom - (first + top), p->width};
            const dim4 in_stride = {0, p->height * p->width, p->width, 1};
            const dim4 out_shape = {1, p->out_c, rows, out_w};
            const dim4 out_stride = {0, out_h * out_w, out_w, 1};
            const local_addr_t input = output + aligned_bytes(1, p->out_c, rows, out_w);
            const int in_plane = n * p->in_c * p->height, out_plane = n * p->out_c * out_h;
            okk_gdma_32bit_cpy_S2L(
                input, p->input_addr + 4ULL * (unsigned int)((in_plane + first + top) * p->width),
                &in_shape, NULL, &in_stride);
            okk_bdc_conv2d(output, input, weight, bias, &in_shape, p->out_c, p->kernel, p->kernel,
                           NULL, &pair_stride, true, false, &padding, &stride, NULL);
            okk_gdma_32bit_cpy_L2S(
                p->output_addr + 4ULL * (unsigned int)((out_plane + row) * out_w), output,
                &out_shape, &out_stride, NULL);
        }
    }
    okk_poll();
}
OKKERNEL_FUNC_REGISTER(conv2d);
