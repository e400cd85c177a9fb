/* SPDX-License-Identifier: Apache-2.0 */
/* A custom operator for TOSA graphs: output = input > 0 ? input : slope * input, fp32, any shape.
 * operator_name "leaky_relu", domain_name "okk", implementation_attrs: the slope, a little-endian
 * float. Double buffering overlaps copies and arithmetic. */
#include <okk.h>
#include <okk_custom.h>

typedef struct {
    system_addr_t from, to;
    int channels, words; /* of a tile: words per channel, one channel per lane */
} tile_t;

static void load(const tile_t* tile, local_addr_t buffer) {
    const dim4 shape = {1, tile->channels, 1, tile->words};
    okk_gdma_32bit_cpy_S2L(buffer, tile->from, &shape, NULL, NULL);
}

static void store(const tile_t* tile, local_addr_t buffer) {
    const dim4 shape = {1, tile->channels, 1, tile->words};
    okk_gdma_32bit_cpy_L2S(tile->to, buffer, &shape, NULL, NULL);
}

/* result = max(x, 0) + slope * min(x, 0) */
static void compute(const tile_t* tile, local_addr_t x, local_addr_t result, float slope) {
    const dim4 shape = {1, tile->channels, 1, tile->words};
    okk_bdc_max_C(result, x, 0.f, &shape, NULL, NULL);
    okk_bdc_min_C(x, x, 0.f, &shape, NULL, NULL);
    okk_bdc_mac_C(result, x, slope, &shape, NULL, NULL);
}

/* Returns the tile that starts at element `done`. A rest of less than a word per lane uses one
 * lane. */
static tile_t tile_at(const okk_custom_tensor_t* input, const okk_custom_tensor_t* output,
                      long long done, int most_words) {
    const long long left = okk_custom_count(input) - done;
    const int lanes = okk_npu_num();
    tile_t tile = {input->addr + 4ULL * (unsigned long long)done,
                   output->addr + 4ULL * (unsigned long long)done, lanes, most_words};
    if (left < (long long)lanes * most_words) tile.words = (int)(left / lanes);
    if (tile.words == 0) {
        tile.channels = 1;
        tile.words = (int)left;
    }
    return tile;
}

void leaky_relu(const void* args) {
    const okk_custom_tensor_t* input = okk_custom_input(args, 0);
    const okk_custom_tensor_t* output = okk_custom_output(args, 0);
    OKKERNEL_ASSERT(okk_custom_num_inputs(args) == 1 && okk_custom_num_outputs(args) == 1);
    OKKERNEL_ASSERT(input->type == OKK_CUSTOM_FP32 && output->type == OKK_CUSTOM_FP32);
    OKKERNEL_ASSERT(okk_custom_count(input) == okk_custom_count(output));
    OKKERNEL_ASSERT(okk_custom_attribute_bytes(args) == sizeof(float));
    const float slope = *(const float*)okk_custom_attributes(args);
    const long long count = okk_custom_count(input);
    /* Two inputs and two results, each a multiple of 128 bytes. */
    const unsigned int buffer = okk_local_mem_size_per_npu() / 4 / 128 * 128;
    const int most_words = (int)(buffer / 4);

    okk_initialize();
    tile_t tiles[2]; /* waiting for its store, and current */
    long long done = 0;
    int index = 0;
    tiles[0] = tile_at(input, output, 0, most_words);
    load(&tiles[0], 0);
    for (; done < count; ++index) {
        const int now = index % 2, other = 1 - now;
        const tile_t before = tiles[other];
        done += (long long)tiles[now].channels * tiles[now].words;
        okk_parallel_start();
        if (index > 0) store(&before, (unsigned int)(2 + other) * buffer);
        if (done < count) {
            tiles[other] = tile_at(input, output, done, most_words);
            load(&tiles[other], (unsigned int)other * buffer);
        }
        compute(&tiles[now], (unsigned int)now * buffer, (unsigned int)(2 + now) * buffer, slope);
        okk_parallel_end();
    }
    store(&tiles[(index + 1) % 2], (unsigned int)(2 + (index + 1) % 2) * buffer);
    okk_poll();
}
OKKERNEL_FUNC_REGISTER(leaky_relu);
