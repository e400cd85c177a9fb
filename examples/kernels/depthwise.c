/* SPDX-License-Identifier: Apache-2.0 */
/* Depthwise convolution with bias and ReLU: each group has one channel per lane, with whole
 * planes. */
#include "local_tiles.h"

typedef struct {
    unsigned long long output_addr, input_addr, weight_addr, bias_addr;
    int batch, channels, height, width, kernel, stride, padding;
} depthwise_args_t;

void depthwise(const void* args) {
    const depthwise_args_t* p = (const depthwise_args_t*)args;
    const int out_h = (p->height + 2 * p->padding - p->kernel) / p->stride + 1;
    const int out_w = (p->width + 2 * p->padding - p->kernel) / p->stride + 1;
    const int taps = p->kernel * p->kernel;
    const Padding padding = {p->padding, p->padding, p->padding, p->padding};
    const dim2 stride = {p->stride, p->stride};
    const local_addr_t input = 0, output = aligned_bytes(1, 1, p->height, p->width);
    const local_addr_t weight = output + aligned_bytes(1, 1, out_h, out_w);
    const local_addr_t bias = weight + 4U * (unsigned int)taps;
    OKKERNEL_ASSERT(bias + 4 <= okk_local_mem_size_per_npu());
    okk_initialize();
    for (int c = 0; c < p->channels; c += okk_npu_num()) {
        const int lanes = min_int(okk_npu_num(), p->channels - c);
        const dim4 weight_shape = {1, lanes, p->kernel, p->kernel}, bias_shape = {1, lanes, 1, 1};
        dim4 compact;
        okk_compact_stride(&compact, 0, &weight_shape);
        okk_gdma_32bit_cpy_S2L(weight, p->weight_addr + 4ULL * (unsigned int)(c * taps),
                               &weight_shape, &compact, NULL);
        okk_compact_stride(&compact, 0, &bias_shape);
        okk_gdma_32bit_cpy_S2L(bias, p->bias_addr + 4ULL * (unsigned int)c, &bias_shape, &compact,
                               NULL);
        for (int n = 0; n < p->batch; ++n) {
            const unsigned int plane = (unsigned int)(n * p->channels + c);
            const dim4 in_shape = {1, lanes, p->height, p->width};
            const dim4 out_shape = {1, lanes, out_h, out_w};
            okk_gdma_32bit_cpy_S2L(
                input, p->input_addr + 4ULL * plane * (unsigned int)(p->height * p->width),
                &in_shape, NULL, NULL);
            okk_bdc_depthwise2d(output, input, weight, bias, &in_shape, p->kernel, p->kernel, true,
                                &padding, &stride, NULL);
            okk_bdc_relu(output, output, &out_shape, NULL, NULL);
            okk_gdma_32bit_cpy_L2S(p->output_addr + 4ULL * plane * (unsigned int)(out_h * out_w),
                                   output, &out_shape, NULL, NULL);
        }
    }
    okk_poll();
}
OKKERNEL_FUNC_REGISTER(depthwise);
