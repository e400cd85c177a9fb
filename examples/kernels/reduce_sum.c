/* SPDX-License-Identifier: Apache-2.0 */
/* Sum of a vector: tiles are added lane by lane, and a pooling sums each lane's words. The sums of
 * the lanes then pass through L2-SRAM to one lane for the last pooling. */
#include "local_tiles.h"

typedef struct {
    unsigned long long output_addr, input_addr;
    int count;
} reduce_sum_args_t;

enum { kWidth = 1024 };

void reduce_sum(const void* args) {
    const reduce_sum_args_t* p = (const reduce_sum_args_t*)args;
    const int lanes = okk_npu_num();
    const dim4 tile = {1, lanes, 1, kWidth}, per_lane = {1, lanes, 1, 1};
    const dim4 in_one_lane = {1, 1, 1, lanes}, scalar = {1, 1, 1, 1};
    const unsigned int row = aligned_bytes(1, 1, 1, kWidth);
    const local_addr_t total = 0, values = row, sums = 2 * row;
    const local_addr_t gathered = sums + 128, result = gathered + aligned_bytes(1, 1, 1, lanes);
    const system_addr_t scratch = okk_l2_sram_start_addr();
    const x32 zero = {0.0f};
    OKKERNEL_ASSERT(result + 128 <= okk_local_mem_size_per_npu());
    okk_initialize();
    okk_bdc_32bit_set_C(total, zero, &tile, NULL);
    for (int done = 0; done < p->count;) {
        /* Whole rows of kWidth, then the incomplete last row. */
        const int left = p->count - done;
        dim4 part = tile;
        part.w = min_int(left, kWidth);
        part.c = min_int(left / part.w, lanes);
        okk_gdma_32bit_cpy_S2L(values, p->input_addr + 4ULL * (unsigned int)done, &part, NULL,
                               NULL);
        okk_bdc_add(total, total, values, &part, NULL, NULL, NULL);
        done += part.c * part.w;
    }
    okk_bdc_avg_pool2d_v2(sums, total, &tile, 1.0f, 1, kWidth, NULL, NULL);
    okk_gdma_32bit_cpy_L2S(scratch, sums, &per_lane, NULL, NULL);
    okk_gdma_32bit_cpy_S2L(gathered, scratch, &in_one_lane, NULL, NULL);
    okk_bdc_avg_pool2d_v2(result, gathered, &in_one_lane, 1.0f, 1, lanes, NULL, NULL);
    okk_gdma_32bit_cpy_L2S(p->output_addr, result, &scalar, NULL, NULL);
    okk_poll();
}
OKKERNEL_FUNC_REGISTER(reduce_sum);
