// SPDX-License-Identifier: Apache-2.0
// Copies tiles in and out while it adds a constant; `wrong` makes one command write other bytes.
#include "okk.h"

typedef struct {
    unsigned long long in;
    int tiles;
    int wrong;
} PingPong;

void ping_pong(const void* args) {
    const PingPong* p = (const PingPong*)args;
    dim4 shape = {1, 64, 1, 32};
    okk_initialize();
    for (int i = 0; i < p->tiles; ++i) {
        okk_parallel_start();
        okk_gdma_32bit_cpy_S2L((local_addr_t)(i % 2) * 4096, p->in, &shape, 0, 0);
        okk_bdc_add_C(8192, (local_addr_t)((i + 1) % 2) * 4096, p->wrong == i ? 2.0f : 1.0f, &shape,
                      0, 0);
        okk_parallel_end();
    }
    okk_poll();
}
OKKERNEL_FUNC_REGISTER(ping_pong);
