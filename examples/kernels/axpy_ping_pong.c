/* SPDX-License-Identifier: Apache-2.0 */
/* output = scale * x + y on vectors of any length. Double buffering: while the BDC computes one
 * tile, the GDMA stores the previous tile and loads the next one. */
#include "local_tiles.h"

typedef struct {
    unsigned long long output_addr, x_addr, y_addr;
    int count;
    float scale;
} axpy_args_t;

enum { kMaxWidth = 2048 };

/* A tile is [1, lanes, 1, width]. A rest that does not fill all lanes is a tile with fewer lanes.
 */
typedef struct {
    dim4 shape;
    unsigned long long byte_offset;
} tile_t;

static tile_t next_tile(int done, int count, int width) {
    const int left = count - done;
    tile_t tile;
    tile.byte_offset = 4ULL * (unsigned long long)done;
    tile.shape.n = 1;
    tile.shape.h = 1;
    tile.shape.w = min_int(left, width);
    tile.shape.c = min_int(left / tile.shape.w, okk_npu_num());
    return tile;
}

void axpy_ping_pong(const void* args) {
    const axpy_args_t* p = (const axpy_args_t*)args;
    /* Double buffers for x, y and output: six buffers in each lane. */
    const unsigned int buffer = okk_local_mem_size_per_npu() / 6 / 128 * 128;
    const int width = min_int((int)buffer / 4, kMaxWidth);
    tile_t tile[2]; /* computing, loading */
    tile_t stored;  /* waiting for its store */
    int done = 0, has_stored = 0, has_current, has_next, phase = 0;
    okk_initialize();
    tile[0] = next_tile(0, p->count, width);
    okk_gdma_32bit_cpy_S2L(0, p->x_addr, &tile[0].shape, NULL, NULL);
    okk_gdma_32bit_cpy_S2L(buffer, p->y_addr, &tile[0].shape, NULL, NULL);
    done += tile[0].shape.c * tile[0].shape.w;
    has_current = 1;
    while (has_current || has_stored) {
        const unsigned int now = 3 * buffer * (unsigned int)phase;
        const unsigned int other = 3 * buffer * (unsigned int)(1 - phase);
        has_next = has_current && done < p->count;
        okk_parallel_start();
        if (has_current) {
            okk_bdc_mul_C(now + 2 * buffer, now, p->scale, &tile[0].shape, NULL, NULL);
            okk_bdc_add(now + 2 * buffer, now + 2 * buffer, now + buffer, &tile[0].shape, NULL,
                        NULL, NULL);
        }
        if (has_stored) {
            okk_gdma_32bit_cpy_L2S(p->output_addr + stored.byte_offset, other + 2 * buffer,
                                   &stored.shape, NULL, NULL);
        }
        if (has_next) {
            tile[1] = next_tile(done, p->count, width);
            done += tile[1].shape.c * tile[1].shape.w;
            okk_gdma_32bit_cpy_S2L(other, p->x_addr + tile[1].byte_offset, &tile[1].shape, NULL,
                                   NULL);
            okk_gdma_32bit_cpy_S2L(other + buffer, p->y_addr + tile[1].byte_offset, &tile[1].shape,
                                   NULL, NULL);
        }
        okk_parallel_end();
        has_stored = has_current;
        stored = tile[0];
        has_current = has_next;
        tile[0] = tile[1];
        phase = 1 - phase;
    }
    okk_poll();
}
OKKERNEL_FUNC_REGISTER(axpy_ping_pong);
