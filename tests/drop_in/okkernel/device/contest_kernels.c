/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels in the style of contests with the vendor's kit; `mistake` selects a mistake to make. */
#include <string.h>

#include "bm_atomic.h"
#include "okk.h"
#ifndef NULL
#define NULL 0
#endif
/* clang-format off */
#define DIV_UP(a, b) (((a)-1) / (b) + 1)
/* clang-format on */
#define ALIGN(a, b) (DIV_UP(a, b) * (b))
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define NPU_NUM okk_npu_num()
#define NO_USE 0

typedef struct {
    unsigned long long in, weight, bias, output;
    int n, c, h, w, oc, kernel, pad, stride;
    int mistake;
} __attribute__((packed)) param_t;

static int bytes_of(const dim4* shape) {
    dim4 stride;
    okk_128_byte_aligned_stride_for_32bit(&stride, 0, shape);
    return shape->n * stride.n * (int)sizeof(float);
}

/* Images come and go while others are computed. 1: a result is stored before it is there. 2: the
 * last one is not stored. */
void contest_conv2d(const void* args) {
    const param_t* p = (const param_t*)args;
    okk_initialize();
    const int K = p->kernel, area = K * K;
    const dim4 in_shape = {1, p->c, p->h, p->w};
    const dim4 out_shape = {1, p->oc, (p->h + 2 * p->pad - K) / p->stride + 1,
                            (p->w + 2 * p->pad - K) / p->stride + 1};
    const int in_floats = p->c * p->h * p->w, out_floats = p->oc * out_shape.h * out_shape.w;
    const int channels = DIV_UP(p->oc, NPU_NUM);
    local_addr_t in[2], out[2], weight, bias;
    in[0] = 0;
    in[1] = in[0] + bytes_of(&in_shape);
    out[0] = in[1] + bytes_of(&in_shape);
    out[1] = out[0] + bytes_of(&out_shape);
    weight = out[1] + bytes_of(&out_shape);
    bias = weight + ALIGN(DIV_UP(p->c, 2) * 2 * channels * area * sizeof(float), 128);
    OKKERNEL_ASSERT(bias + 128 <= okk_local_mem_size_per_npu());
    /* [oc][ic][kh][kw] becomes [ic / 2][oc][kh][kw][2]: the even and the odd input channels. */
    for (int odd = 0; odd < MIN(2, p->c); ++odd) {
        const dim4 shape = {(p->c - odd + 1) / 2, p->oc, area, 1};
        const dim4 to = {channels * area * 2, area * 2, 2, 1};
        const dim4 from = {2 * area, p->c * area, 1, 1};
        okk_gdma_32bit_cpy_S2L(weight + odd * sizeof(float), p->weight + odd * area * sizeof(float),
                               &shape, &to, &from);
    }
    const dim4 bias_shape = {1, p->oc, 1, 1};
    dim4 compact;
    okk_compact_stride(&compact, 0, &bias_shape);
    okk_gdma_32bit_cpy_S2L(bias, p->bias, &bias_shape, &compact, NULL);
    const Padding padding = {p->pad, p->pad, p->pad, p->pad};
    const dim2 stride = {p->stride, p->stride};
    for (int i = 0; i < p->n + 2; ++i) {
        const int stored = p->mistake == 1 ? i - 1 : i - 2;
        okk_parallel_start();
        if (i < p->n) {
            okk_gdma_32bit_cpy_S2L(in[i % 2], p->in + i * in_floats * sizeof(float), &in_shape,
                                   NULL, NULL);
        }
        if (i >= 1 && i <= p->n) {
            okk_bdc_conv2d(out[(i + 1) % 2], in[(i + 1) % 2], weight, bias, &in_shape, p->oc, K, K,
                           NULL, NULL, true, false, &padding, &stride, NULL);
        }
        if (stored >= 0 && stored < p->n) {
            okk_gdma_32bit_cpy_L2S(p->output + stored * out_floats * sizeof(float), out[i % 2],
                                   &out_shape, NULL, NULL);
        }
        okk_parallel_end();
        if (p->mistake == 2 && i == p->n) break;
    }
    okk_poll();
}
OKKERNEL_FUNC_REGISTER(contest_conv2d);

/* Rows over w, by halves. 1: without the maximum taken away. */
void contest_softmax(const void* args) {
    const param_t* p = (const param_t*)args;
    okk_initialize();
    int power = 1;
    while (power < p->w) power *= 2;
    const int block = ALIGN(power * (int)sizeof(float), 128);
    const local_addr_t x = 0, fold = block, e = 2 * block, work = 3 * block;
    for (int row = 0; row < p->n; row += NPU_NUM) {
        const int c = MIN(NPU_NUM, p->n - row);
        const dim4 shape = {1, c, 1, p->w}, whole = {1, c, 1, power};
        const dim4 stride = {power, power, power, 1}, repeated = {0, 1, 0, 0};
        dim4 aligned;
        okk_128_byte_aligned_stride_for_32bit(&aligned, 0, &shape);
        x32 start = {.fp32 = -3.0e38f};
        okk_bdc_32bit_set_C(fold, start, &whole, &stride);
        okk_gdma_32bit_cpy_S2L(x, p->in + row * p->w * sizeof(float), &shape, NULL, NULL);
        okk_bdc_32bit_cpy(fold, x, &shape, &stride, &aligned);
        for (int half = power / 2; half >= 1; half /= 2) {
            const dim4 part = {1, c, 1, half};
            okk_bdc_max(fold, fold, fold + half * sizeof(float), &part, &stride, &stride, &stride);
        }
        if (p->mistake != 1) okk_bdc_sub(x, x, fold, &shape, &aligned, &aligned, &repeated);
        okk_bdc_exp(e, x, work, &shape);
        start.fp32 = 0;
        okk_bdc_32bit_set_C(fold, start, &whole, &stride);
        okk_bdc_32bit_cpy(fold, e, &shape, &stride, &aligned);
        for (int half = power / 2; half >= 1; half /= 2) {
            const dim4 part = {1, c, 1, half};
            okk_bdc_add(fold, fold, fold + half * sizeof(float), &part, &stride, &stride, &stride);
        }
        okk_bdc_div(e, e, fold, &shape, &aligned, &aligned, &repeated);
        okk_gdma_32bit_cpy_L2S(p->output + row * p->w * sizeof(float), e, &shape, NULL, NULL);
    }
    okk_poll();
}
OKKERNEL_FUNC_REGISTER(contest_softmax);

/* [h, c] times [c, w] in parts of 48 columns. 1: the first part is added, too. */
void contest_matmul(const void* args) {
    const param_t* p = (const param_t*)args;
    okk_initialize();
    const int wide = DIV_UP(p->w, NPU_NUM);
    const dim4 out_shape = {p->h, DIV_UP(p->w, wide), 1, wide};
    const dim4 left_shape = {p->h, 48, 1, 1};
    const local_addr_t out = 0, left = out + bytes_of(&out_shape);
    const local_addr_t right = left + bytes_of(&left_shape);
    for (int k = 0; k < p->c; k += 48) {
        const int cols = MIN(48, p->c - k);
        okk_gdma_32bit_matrix_S2L(left, p->in + k * sizeof(float), p->h, cols, 1, p->c);
        okk_gdma_32bit_matrix_S2L(right, p->weight + k * p->w * sizeof(float), cols, p->w, wide,
                                  p->w);
        okk_bdc_matmul(out, left, right, NO_USE, p->h, cols, p->w, 1, wide, false,
                       k > 0 || p->mistake == 1);
    }
    okk_gdma_32bit_matrix_L2S(p->output, out, p->h, p->w, wide, p->w);
    okk_poll();
}
OKKERNEL_FUNC_REGISTER(contest_matmul);

/* Six batches of bytes: 3 / 2 of them, not below 0, plus themselves. 1: as if they were eight. */
void contest_packed(const void* args) {
    const param_t* p = (const param_t*)args;
    okk_initialize();
    dim4 shape = {p->n, p->c, p->h, p->w};
    const dim4 words = {DIV_UP(p->n, 4), p->c, p->h, p->w};
    const local_addr_t x = 0, y = bytes_of(&words);
    okk_gdma_32bit_cpy_S2L(x, p->in, &words, NULL, NULL);
    okk_bdc_fixed_point_packed_mul_C(y, x, 3, &shape, NULL, NULL, S8_OP_S8_TO_S8, 1);
    if (p->mistake == 1) shape.n = ALIGN(p->n, 4);
    okk_bdc_fixed_point_packed_max_C(y, y, 0, &shape, NULL, NULL, S8_OP_S8_TO_S8);
    okk_bdc_fixed_point_packed_add(y, y, x, &shape, NULL, NULL, NULL, S8_OP_S8_TO_S8, 0);
    okk_gdma_32bit_cpy_L2S(p->output, y, &words, NULL, NULL);
    okk_poll();
}
OKKERNEL_FUNC_REGISTER(contest_packed);

/* The index of the greatest element of each row, by the processor. 1: it loads before the row
 * arrives. 2: it changes its results while they are copied. */
void contest_argmax(const void* args) {
    const param_t* p = (const param_t*)args;
    okk_initialize();
    const system_addr_t scratch = okk_l2_sram_start_addr();
    const float* row = (const float*)okk_local_mem_addr(0, 0);
    float* places = (float*)okk_l2_sram_addr(scratch);
    const dim4 shape = {1, 1, 1, p->w}, results = {1, 1, 1, p->n};
    for (int i = 0; i < p->n; ++i) {
        okk_gdma_32bit_cpy_S2L(0, p->in + i * p->w * sizeof(float), &shape, NULL, NULL);
        if (p->mistake != 1) okk_poll();
        int best = 0;
        for (int k = 1; k < p->w; ++k) {
            if (row[k] > row[best]) best = k;
        }
        places[i] = (float)best;
    }
    okk_poll();
    okk_gdma_32bit_cpy_S2S(p->output, scratch, &results, NULL, NULL);
    if (p->mistake == 2) places[0] = -1;
    okk_poll();
}
OKKERNEL_FUNC_REGISTER(contest_argmax);
