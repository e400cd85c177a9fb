/* SPDX-License-Identifier: Apache-2.0
 * Kernels whose own code stores through pointers. Each storing line ends in a comment with the
 * kernel's name; own_stores.sh asks `okksim why` for the stored values. */
#include <string.h>

#include "okk.h"

/* clang-format off */

typedef struct {
    unsigned long long out;  /* 4 channels of 16 floats */
    unsigned long long in;   /* the same */
} Arguments;

static const dim4 kBlock = {1, 4, 1, 16};

#define KERNEL(name) \
    static void name##_body(const Arguments* a); \
    void name(const void* args) { okk_initialize(); name##_body(args); } \
    OKKERNEL_FUNC_REGISTER(name); \
    static void name##_body(const Arguments* a)

KERNEL(makes_input) {
    float* const out = (float*)okk_global_mem_addr(a->out);
    int i;
    for (i = 0; i < 64; ++i) out[i] = 1;
}
KERNEL(corrects_a_result) {
    okk_gdma_32bit_cpy_S2S(a->out, a->in, &kBlock, 0, 0);
    okk_poll();
    float* const out = (float*)okk_global_mem_addr(a->out);
    out[0] = 7;
    out[5] = 42;  /* corrects_a_result */
    okk_poll();
}
KERNEL(fills_a_table) {
    float* const table = (float*)okk_dtcm_addr(okk_dtcm_start_addr());
    int i;
    for (i = 0; i < 64; ++i)
        table[i] = 37.0f + (float)i;  /* fills_a_table */
    okk_gdma_32bit_cpy_S2L(0, okk_dtcm_start_addr(), &kBlock, 0, 0);
    okk_gdma_32bit_cpy_L2S(a->out, 0, &kBlock, 0, 0);
    okk_poll();
}
KERNEL(fills_a_lane) {
    float values[16];
    int i;
    for (i = 0; i < 16; ++i) values[i] = 37.0f + (float)i;
    okk_gdma_32bit_cpy_S2L(0, a->in, &kBlock, 0, 0);
    okk_poll();
    memcpy(okk_local_mem_addr(0, 0), values, sizeof values);  /* fills_a_lane */
    okk_gdma_32bit_cpy_L2S(a->out, 0, &kBlock, 0, 0);
    okk_poll();
}
KERNEL(clears_and_adds) {
    float* const out = (float*)okk_global_mem_addr(a->out);
    const float* const in = (const float*)okk_global_mem_addr(a->in);
    int turn, i;
    memset(out, 0, 64 * sizeof *out);
    for (turn = 0; turn < 3; ++turn)
        for (i = 0; i < 64; ++i) out[i] += in[i];
    out[5] = 42;  /* clears_and_adds */
    okk_poll();
}
KERNEL(clears_by_the_library) {
    float* const out = (float*)okk_global_mem_addr(a->out);
    int words[64];
    int i;
    for (i = 0; i < 64; ++i) words[i] = 0x42280000;  /* 42 */
    memcpy(out, words, a->out == 0 ? 0 : sizeof words);  /* clears_by_the_library */
    okk_poll();
}
KERNEL(moves_far_from_its_pointer) {
    float* const out = (float*)okk_global_mem_addr(a->in);
    okk_gdma_32bit_cpy_S2S(a->out, a->in, &kBlock, 0, 0);
    okk_poll();
    out[(a->out - a->in) / 4 + 5] = 42;  /* moves_far_from_its_pointer */
}
KERNEL(converts) {
    okk_gdma_32bit_cpy_S2L(0, a->in, &kBlock, 0, 0);
    okk_bdc_mul_C(4096, 0, 3.5f, &kBlock, 0, 0);
    okk_bdc_fp32_to_int32(8192, 4096, &kBlock);
    okk_bdc_lookup_int32_to_fp32(12288, 8192, &kBlock);
    okk_gdma_32bit_cpy_L2S(a->out, 12288, &kBlock, 0, 0);
    okk_poll();
}
KERNEL(works_in_parallel) {
    int i;
    okk_gdma_32bit_cpy_S2L(0, a->in, &kBlock, 0, 0);
    for (i = 0; i < 3; ++i) {
        okk_parallel_start();
        okk_gdma_32bit_cpy_S2L(4096, a->in, &kBlock, 0, 0);
        okk_bdc_add_C(0, 0, 1, &kBlock, 0, 0);
        okk_gdma_32bit_cpy_S2L(8192, a->in, &kBlock, 0, 0);
        okk_parallel_end();
    }
    okk_gdma_32bit_cpy_L2S(a->out, 0, &kBlock, 0, 0);
    okk_poll();
}
