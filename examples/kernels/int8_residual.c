/* SPDX-License-Identifier: Apache-2.0 */
/* Residual connection in int8: output = max(0, saturate((a + b + 1) >> 1)) on 4N words, with the
 * packed fixed-point functions. Their shapes count bytes in N, so one word is a batch of four. */
#include "local_tiles.h"

typedef struct {
    unsigned long long output_addr, a_addr, b_addr;
    int words;
} int8_residual_args_t;

void int8_residual(const void* args) {
    const int8_residual_args_t* p = (const int8_residual_args_t*)args;
    const unsigned int buffer = okk_local_mem_size_per_npu() / 2 / 128 * 128;
    const int width = min_int((int)buffer / 4, 2048);
    okk_initialize();
    for (int done = 0; done < p->words;) {
        const int left = p->words - done, part = min_int(left, width);
        const int lanes = min_int(left / part, okk_npu_num());
        const dim4 bytes = {4, lanes, 1, part}, words = {1, lanes, 1, part};
        const unsigned long long offset = 4ULL * (unsigned int)done;
        okk_gdma_32bit_cpy_S2L(0, p->a_addr + offset, &words, NULL, NULL);
        okk_gdma_32bit_cpy_S2L(buffer, p->b_addr + offset, &words, NULL, NULL);
        okk_bdc_fixed_point_packed_add(0, 0, buffer, &bytes, NULL, NULL, NULL, S8_OP_S8_TO_S8, 1);
        okk_bdc_fixed_point_packed_max_C(0, 0, 0, &bytes, NULL, NULL, S8_OP_S8_TO_S8);
        okk_gdma_32bit_cpy_L2S(p->output_addr + offset, 0, &words, NULL, NULL);
        done += lanes * part;
    }
    okk_poll();
}
OKKERNEL_FUNC_REGISTER(int8_residual);
