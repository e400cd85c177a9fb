// SPDX-License-Identifier: Apache-2.0
// Usual mistakes of firmware developers, and the same kernels corrected: `usual_mistakes NAME
// wrong|right`. The line of a mistake ends in a comment with its name, where a finding names it.
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "bmlib_runtime.h"
#include "okk.h"
#include "okk_access.h"

// clang-format off

namespace {

struct Arguments {
    unsigned long long in, out;  // 1024 floats each
    int right;
    int columns;  // of a former, larger input: 24
};

const dim4 kAll = {1, 64, 1, 16};     // the whole input: 64 channels with 16 words
const dim4 kTile = {1, 64, 1, 4};     // a quarter of its columns
const dim4 kRows = {1024, 16, 16, 1}; // strides of a tile in global memory

std::map<std::string, void (*)(const Arguments&)>& bodies() {
    static std::map<std::string, void (*)(const Arguments&)> table;
    return table;
}
std::string chosen;

void launched(const void* arguments) { bodies()[chosen](*static_cast<const Arguments*>(arguments)); }
OKKERNEL_FUNC_REGISTER(launched)

struct Added {
    Added(const char* name, void (*body)(const Arguments&)) { bodies()[name] = body; }
};
#define KERNEL(name)                        \
    void name(const Arguments& a);          \
    const Added name##_added(#name, name);  \
    void name(const Arguments& a)

x32 word(float value) {
    x32 result;
    result.fp32 = value;
    return result;
}
void load(local_addr_t to, const Arguments& a) { okk_gdma_32bit_cpy_S2L(to, a.in, &kAll, NULL, NULL); }
void store(const Arguments& a, local_addr_t from) {
    okk_gdma_32bit_cpy_L2S(a.out, from, &kAll, NULL, NULL);
    okk_poll();
}
/// Two tensors in lane 0: at byte 0 and at byte 1024.
void begin(const Arguments& a) {
    okk_initialize();
    load(0, a);
    load(1024, a);
}

// ---- Strides -------------------------------------------------------------------------------------
KERNEL(stores_a_row_in_one_word) {
    begin(a);
    const dim4 stride = {16, 16, 16, a.right ? 1 : 0};
    okk_bdc_add_C(1024, 0, 1, &kAll, &stride, NULL);  // stores_a_row_in_one_word
    store(a, 1024);
}
KERNEL(stores_rows_too_close) {
    begin(a);
    const dim4 rows = {1, 64, 2, 8}, stride = {16, 16, a.right ? 8 : 4, 1};
    okk_bdc_add_C(1024, 0, 1, &rows, &stride, NULL);  // stores_rows_too_close
    store(a, 1024);
}
KERNEL(stores_images_onto_each_other) {
    begin(a);
    const dim4 images = {2, 64, 1, 8}, to = {a.right ? 8 : 0, 16, 8, 1}, from = {8, 16, 8, 1};
    okk_bdc_mul_C(1024, 0, 2, &images, &to, &from);  // stores_images_onto_each_other
    store(a, 1024);
}
KERNEL(loads_rows_too_close) {
    begin(a);
    const dim4 rows = {1, 64, 4, 4}, to = {16, 16, a.right ? 4 : 1, 1}, from = {1024, 16, 4, 1};
    okk_gdma_32bit_cpy_S2L(0, a.in, &rows, &to, &from);  // loads_rows_too_close
    store(a, 0);
}
KERNEL(stores_channels_too_close) {
    begin(a);
    const dim4 all = {1, 1, 1, 1024}, stride = {1024, a.right ? 16 : 8, 16, 1};
    okk_gdma_32bit_set_C_system(a.out, word(0), &all, NULL);
    okk_gdma_32bit_cpy_L2S(a.out, 0, &kAll, &stride, NULL);  // stores_channels_too_close
    okk_poll();
}
KERNEL(sums_up_by_a_stride_of_0) {
    begin(a);
    const dim4 none = {0, 0, 0, 0};
    if (a.right) okk_bdc_add(1024, 1024, 0, &kAll, NULL, NULL, NULL);
    else okk_bdc_add(1024, 1024, 0, &kAll, &none, &none, NULL);  // sums_up_by_a_stride_of_0
    store(a, 1024);
}
KERNEL(stores_aligned_channels_as_compact) {
    okk_initialize();
    const dim4 halves = {1, 128, 1, 8};
    dim4 compact;
    okk_compact_stride(&compact, 0, &halves);
    okk_gdma_32bit_cpy_S2L(0, a.in, &halves, NULL, NULL);
    okk_gdma_32bit_cpy_L2S(a.out, 0, &halves, NULL, a.right ? NULL : &compact);  // stores_aligned_channels_as_compact
    okk_poll();
}

// ---- Tiles ---------------------------------------------------------------------------------------
KERNEL(leaves_out_the_last_tile) {
    okk_initialize();
    const int tiles = a.right ? 4 : 3;
    for (int i = 0; i < tiles; ++i) {
        okk_gdma_32bit_cpy_S2L(0, a.in + i * 16, &kTile, NULL, &kRows);
        okk_gdma_32bit_cpy_L2S(a.out + i * 16, 0, &kTile, &kRows, NULL);
    }
    okk_poll();
}
KERNEL(does_one_tile_too_many) {
    okk_initialize();
    const dim4 tile = {1, 16, 1, 16};
    const int tiles = a.right ? 4 : 5;
    for (int i = 0; i < tiles; ++i) {
        okk_gdma_32bit_cpy_S2L(0, a.in + i * 1024, &tile, NULL, NULL);  // does_one_tile_too_many
        okk_gdma_32bit_cpy_L2S(a.out + i * 1024, 0, &tile, NULL, NULL);
    }
    okk_poll();
}
KERNEL(computes_on_a_partial_tile) {
    okk_initialize();
    const dim4 part = {1, 64, 1, 12};
    okk_gdma_32bit_cpy_S2L(0, a.in, a.right ? &kAll : &part, NULL, &kRows);
    okk_bdc_mul_C(1024, 0, 2, &kAll, NULL, NULL);  // computes_on_a_partial_tile
    store(a, 1024);
}
KERNEL(takes_another_lane) {
    okk_initialize();
    const dim4 half = {1, 32, 1, 16};
    const local_addr_t lane = a.right ? 0 : okk_local_mem_size_per_npu();
    okk_gdma_32bit_cpy_S2L(0, a.in, &half, NULL, NULL);
    okk_bdc_neg(lane + 1024, lane, &half, NULL, NULL);  // takes_another_lane
    okk_gdma_32bit_cpy_L2S(a.out, lane + 1024, &half, NULL, NULL);
    okk_gdma_32bit_cpy_S2S(a.out + 2048, a.in, &half, NULL, NULL);
    okk_poll();
}

// ---- Double buffers ------------------------------------------------------------------------------
KERNEL(loads_into_the_buffer_in_use) {
    okk_initialize();
    okk_gdma_32bit_cpy_S2L(0, a.in, &kTile, NULL, &kRows);
    for (int i = 0; i < 4; ++i) {
        const local_addr_t now = i % 2 * 1024, next = a.right ? (i + 1) % 2 * 1024 : now;
        okk_parallel_start();
        if (i < 3) okk_gdma_32bit_cpy_S2L(next, a.in + (i + 1) * 16, &kTile, NULL, &kRows);
        okk_bdc_neg(4096 + now, now, &kTile, NULL, NULL);  // loads_into_the_buffer_in_use
        okk_parallel_end();
        okk_gdma_32bit_cpy_L2S(a.out + i * 16, 4096 + now, &kTile, &kRows, NULL);
    }
    okk_poll();
}
KERNEL(changes_what_is_being_stored) {
    begin(a);
    if (!a.right) okk_parallel_start();
    okk_gdma_32bit_cpy_L2S(a.out, 1024, &kAll, NULL, NULL);
    okk_bdc_add_C(1024, 0, 1, &kAll, NULL, NULL);  // changes_what_is_being_stored
    if (!a.right) okk_parallel_end();
    okk_poll();
}
KERNEL(computes_beside_its_load) {
    okk_initialize();
    okk_parallel_start();
    load(0, a);
    if (a.right) okk_parallel_end();
    okk_bdc_neg(1024, 0, &kAll, NULL, NULL);  // computes_beside_its_load
    if (!a.right) okk_parallel_end();
    store(a, 1024);
}
KERNEL(looks_before_the_poll) {
    begin(a);
    okk_bdc_neg(1024, 0, &kAll, NULL, NULL);
    if (a.right) okk_poll();
    const float first = *reinterpret_cast<volatile float*>(okk_local_mem_addr(0, 1024));  // looks_before_the_poll
    okk_bdc_mul_C(1024, 1024, first, &kAll, NULL, NULL);
    store(a, 1024);
}

// ---- Arguments and types -------------------------------------------------------------------------
KERNEL(forgets_the_second_operand) {
    okk_initialize();
    load(0, a);
    if (a.right) load(2048, a);
    okk_bdc_add(1024, 0, 2048, &kAll, NULL, NULL, NULL);  // forgets_the_second_operand
    store(a, 1024);
}
KERNEL(exchanges_input_and_output) {
    okk_initialize();
    okk_gdma_32bit_cpy_S2L(0, a.right ? a.in : a.out, &kAll, NULL, NULL);
    okk_gdma_32bit_cpy_L2S(a.right ? a.out : a.in, 0, &kAll, NULL, NULL);
    okk_poll();
}
KERNEL(counts_bytes_as_words) {
    begin(a);
    const dim4 bytes = {1, 64, 1, 64};
    okk_gdma_32bit_cpy_L2S(a.out, 0, a.right ? &kAll : &bytes, NULL, NULL);  // counts_bytes_as_words
    okk_poll();
}
KERNEL(keeps_a_size_of_former_data) {
    okk_initialize();
    const dim4 shape = {1, 64, 1, a.right ? 16 : a.columns};
    okk_gdma_32bit_cpy_S2L(0, a.in, &shape, NULL, NULL);  // keeps_a_size_of_former_data
    store(a, 0);
}
KERNEL(lays_a_bias_into_one_lane) {
    begin(a);
    const dim4 lanes = {1, 64, 1, 1}, row = {1, 1, 1, 64}, compact = {1, 1, 1, 1};
    okk_gdma_32bit_cpy_S2L(2048, a.in, a.right ? &lanes : &row, a.right ? &compact : NULL, NULL);
    okk_bdc_bias(1024, 0, 2048, &kAll, NULL, NULL);  // lays_a_bias_into_one_lane
    store(a, 1024);
}

// ---- Memory --------------------------------------------------------------------------------------
KERNEL(relies_on_an_earlier_launch) {
    okk_initialize();
    static int launches = 0;
    if (launches++ == 0 || a.right) load(0, a);
    okk_bdc_add_C(1024, 0, 1, &kAll, NULL, NULL);  // relies_on_an_earlier_launch
    store(a, 1024);
}
KERNEL(leaves_dtcm) {
    begin(a);
    store(a, 0);
    volatile unsigned char* const dtcm = okk_dtcm_addr(okk_dtcm_start_addr());
    dtcm[okk_dtcm_size() - (a.right ? 1 : 0)] = 1;  // leaves_dtcm
}

// ---- Correct kernels -----------------------------------------------------------------------------
KERNEL(fills_a_word_many_times) {
    okk_initialize();
    const dim4 none = {0, 0, 0, 0};
    okk_bdc_32bit_set_C(0, word(3), &kAll, &none);
    load(0, a);
    store(a, 0);
}
KERNEL(repeats_one_value) {
    begin(a);
    const dim4 none = {0, 0, 0, 0};
    okk_bdc_mul_C(2048, 0, 2, &kAll, &none, &none);
    okk_bdc_mul(1024, 0, 2048, &kAll, NULL, NULL, &none);
    store(a, 1024);
}
KERNEL(interleaves_columns) {
    begin(a);
    const dim4 half = {1, 64, 1, 8}, stride = {16, 16, 16, 2};
    okk_bdc_mul_C(1024, 0, 2, &half, &stride, &stride);
    okk_bdc_mul_C(1028, 4, 3, &half, &stride, &stride);
    store(a, 1024);
}
KERNEL(wraps_with_one_channel_per_lane) {
    okk_initialize();
    const local_addr_t lane = 60 * okk_local_mem_size_per_npu();
    const dim4 some = {1, 16, 1, 16}, stride = {32, 0, 16, 1}, rest = {1, 48, 1, 16};
    okk_gdma_32bit_cpy_S2L(lane, a.in, &some, &stride, NULL);
    okk_gdma_32bit_cpy_L2S(a.out, lane, &some, NULL, &stride);
    okk_gdma_32bit_cpy_S2S(a.out + 1024, a.in, &rest, NULL, NULL);
    okk_poll();
}
KERNEL(stores_columns_as_rows) {
    begin(a);
    const dim4 shape = {1, 64, 16, 1}, to = {1024, 1, 64, 1}, from = {16, 16, 1, 1};
    okk_gdma_32bit_cpy_L2S(a.out, 0, &shape, &to, &from);
    okk_poll();
}

// clang-format on

}  // namespace

int main(int, char** argv) {
    chosen = argv[1];
    const int right = strcmp(argv[2], "right") == 0 ? 1 : 0;
    std::vector<float> values(1024), results(1024);
    for (int i = 0; i < 1024; ++i) values[i] = i % 50 * 0.25f;
    bm_handle_t handle;
    bm_device_mem_t in, out;
    if (bm_dev_request(&handle, 0) != BM_SUCCESS) return 1;
    bm_malloc_device_byte(handle, &in, 4096);
    bm_malloc_device_byte(handle, &out, 4096);
    bm_memcpy_s2d(handle, in, values.data());
    const Arguments args = {bm_mem_get_device_addr(in), bm_mem_get_device_addr(out), right, 24};
    const int launches = chosen == "relies_on_an_earlier_launch" || right == 1 ? 2 : 1;
    for (int i = 0; i < launches; ++i) {
        okkernel_launch_sync(handle, "launched", &args, sizeof args);
        bm_memcpy_d2s(handle, results.data(), out);
    }
    bm_free_device(handle, in);
    bm_free_device(handle, out);
    bm_dev_free(handle);
    return 0;
}
