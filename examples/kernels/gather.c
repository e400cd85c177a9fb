/* SPDX-License-Identifier: Apache-2.0 */
/* Embedding lookup: output[i] = table[indices[i]]. The control processor reads the indices
 * and issues one copy per row; rows are collected in the lanes and written in one copy. */
#include <okk_access.h>

#include "local_tiles.h"

typedef struct {
    unsigned long long output_addr, table_addr, indices_addr;
    int count, table_rows, cols;
} gather_args_t;

void gather(const void* args) {
    const gather_args_t* p = (const gather_args_t*)args;
    const dim4 row = {1, 1, 1, p->cols};
    const int* indices = (const int*)okk_load_addr(p->indices_addr, 4ULL * (unsigned int)p->count);
    OKKERNEL_ASSERT((unsigned int)p->cols * 4 <= okk_local_mem_size_per_npu());
    okk_initialize();
    for (int first = 0; first < p->count; first += okk_npu_num()) {
        const int lanes = min_int(okk_npu_num(), p->count - first);
        const dim4 shape = {1, lanes, 1, p->cols};
        for (int lane = 0; lane < lanes; ++lane) {
            const int index = indices[first + lane];
            OKKERNEL_ASSERT(index >= 0 && index < p->table_rows);
            okk_gdma_32bit_cpy_S2L((unsigned int)lane * okk_local_mem_size_per_npu(),
                                   p->table_addr + 4ULL * (unsigned int)(index * p->cols), &row,
                                   NULL, NULL);
        }
        okk_gdma_32bit_cpy_L2S(p->output_addr + 4ULL * (unsigned int)(first * p->cols), 0, &shape,
                               NULL, NULL);
    }
    okk_poll();
}
OKKERNEL_FUNC_REGISTER(gather);
