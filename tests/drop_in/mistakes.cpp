// SPDX-License-Identifier: Apache-2.0
// Kernels with one mistake each, and the same kernels corrected: `mistakes NAME wrong|right`. The
// line of every mistake ends in a comment with its name; mistakes.sh lists the expected findings.
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <map>
#include <string>
#include <vector>

#include "bmlib_runtime.h"
#include "okk.h"
#include "okk_access.h"

// clang-format off

namespace {

struct Arguments {
    unsigned long long in;   // 1024 floats, small values
    unsigned long long out;  // 16 floats
    int right;
    int unused;
};

const dim4 kRow = {1, 1, 1, 16};      // what the output holds
const dim4 kBlock = {1, 64, 1, 16};   // what the input holds

std::map<std::string, void (*)(const Arguments&)>& bodies() {
    static std::map<std::string, void (*)(const Arguments&)> table;
    return table;
}
std::string& chosen() {
    static std::string name;
    return name;
}

void launched(const void* arguments) {
    const Arguments args = *static_cast<const Arguments*>(arguments);
    bodies()[chosen()](args);
}
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
/// Fills local memory at 0 with 16 floats per channel of 64 channels, and with 0 in the next 2 KiB.
void begin() {
    okk_initialize();
    const dim4 all = {1, 64, 1, 1024};
    okk_bdc_32bit_set_C(0, word(0), &all, NULL);
    okk_poll();
}

// ---- Buffers ------------------------------------------------------------------------------------
KERNEL(stores_past_the_end) {
    begin();
    const dim4 many = {1, 64, 1, 16};
    okk_gdma_32bit_cpy_L2S(a.out, 0, a.right ? &kRow : &many, NULL, NULL);  // stores_past_the_end
    okk_poll();
}
KERNEL(stores_one_too_many) {
    begin();
    const dim4 more = {1, 1, 1, 17};
    okk_gdma_32bit_cpy_L2S(a.out, 0, a.right ? &kRow : &more, NULL, NULL);  // stores_one_too_many
    okk_poll();
}
KERNEL(stores_before_the_start) {
    begin();
    okk_gdma_32bit_cpy_L2S(a.in - (a.right ? 0 : 64), 0, &kRow, NULL, NULL);  // stores_before_the_start
    okk_poll();
}
KERNEL(loads_past_the_end) {
    begin();
    const dim4 more = {1, 64, 1, 17};
    okk_gdma_32bit_cpy_S2L(0, a.in, a.right ? &kBlock : &more, NULL, NULL);  // loads_past_the_end
    okk_poll();
}
KERNEL(uses_freed_memory) {
    begin();
    okk_gdma_32bit_cpy_L2S(a.out, 0, &kRow, NULL, NULL);  // uses_freed_memory
    okk_poll();
}
/// The host has freed the buffer and allocated another one of the same size.
KERNEL(uses_memory_of_a_freed_buffer) {
    begin();
    okk_gdma_32bit_cpy_L2S(a.out, 0, &kRow, NULL, NULL);  // uses_memory_of_a_freed_buffer
    okk_poll();
}
/// The host has freed a buffer with data, and a new buffer has got the same memory.
KERNEL(takes_what_a_former_buffer_left) {
    okk_initialize();
    okk_gdma_32bit_cpy_S2L(0, a.in, &kRow, NULL, NULL);  // takes_what_a_former_buffer_left
    okk_gdma_32bit_cpy_L2S(a.out, 0, &kRow, NULL, NULL);
    okk_poll();
}
KERNEL(leaves_what_a_former_buffer_left) {
    begin();
    const dim4 half = {1, 1, 1, 8};
    okk_gdma_32bit_cpy_L2S(a.in, 0, a.right ? &kRow : &half, NULL, NULL);  // leaves_what_a_former_buffer_left
    okk_poll();
}
/// The pointer of the first launch. The host frees the buffer too early, between the two launches.
volatile unsigned int* kept = nullptr;
KERNEL(stores_by_a_kept_pointer) {
    okk_initialize();
    if (kept != nullptr) kept[1] = 5;  // stores_by_a_kept_pointer
    if (kept == nullptr) kept = reinterpret_cast<volatile unsigned int*>(okk_global_mem_addr(a.out));
    okk_poll();
}
KERNEL(stores_to_what_was_freed_by_a_kept_pointer) {
    okk_initialize();
    if (kept != nullptr) kept[1] = 5;  // stores_to_what_was_freed_by_a_kept_pointer
    if (kept == nullptr) kept = reinterpret_cast<volatile unsigned int*>(okk_global_mem_addr(a.out));
    okk_poll();
}
/// The cost of watching every store must not grow with the number of launches.
KERNEL(stores_in_many_launches) {
    okk_initialize();
    volatile unsigned int* words = reinterpret_cast<volatile unsigned int*>(okk_global_mem_addr(a.in));
    for (int i = 0; i < 10 * 1024; ++i) words[i % 1024] = words[(i + 1) % 1024] + 1;
    okk_poll();
}
/// Watching the whole kernel takes longer than the share of time allowed for it.
KERNEL(sets_one_too_many_behind_all_others) {
    okk_initialize();
    volatile unsigned int* words = reinterpret_cast<volatile unsigned int*>(okk_global_mem_addr(a.out));
    for (int i = 0; i < 20000; ++i) {
        words[i % 16] = 1;
        okk_gdma_32bit_cpy_S2L(0, a.out, &kRow, NULL, NULL);
        okk_poll();
    }
    words[a.right ? 15 : 16] = 1;  // sets_one_too_many_behind_all_others
}
KERNEL(loads_by_a_kept_pointer) {
    okk_initialize();
    static unsigned int sum = 0;
    if (kept != nullptr) sum += kept[3];  // loads_by_a_kept_pointer
    if (kept == nullptr) kept = reinterpret_cast<volatile unsigned int*>(okk_global_mem_addr(a.in));
    okk_poll();
}
KERNEL(fills_past_the_end) {
    begin();
    const dim4 more = {1, 1, 2, 16};
    okk_gdma_32bit_set_C_system(a.out, word(1), a.right ? &kRow : &more, NULL);  // fills_past_the_end
    okk_poll();
}
KERNEL(moves_too_many_rows) {
    begin();
    okk_gdma_32bit_matrix_L2S(a.out, 0, a.right ? 2 : 3, 8, 8, 8);  // moves_too_many_rows
    okk_poll();
}
KERNEL(moves_rows_too_far_apart) {
    begin();
    okk_gdma_32bit_matrix_L2S(a.out, 0, 2, 4, 4, a.right ? 4 : 4096);  // moves_rows_too_far_apart
    okk_poll();
}
KERNEL(copies_past_the_end) {
    okk_initialize();
    okk_gdma_32bit_cpy_S2S(a.out, a.in, a.right ? &kRow : &kBlock, NULL, NULL);  // copies_past_the_end
    okk_poll();
}
KERNEL(strides_past_the_end) {
    begin();
    const dim4 two = {2, 1, 1, 8};
    const dim4 wide = {16, 8, 8, 1};
    okk_gdma_32bit_cpy_L2S(a.out, 0, &two, a.right ? NULL : &wide, NULL);  // strides_past_the_end
    okk_poll();
}
KERNEL(stores_bytes_past_the_end) {
    begin();
    const dim4 bytes = {1, 1, 1, 64};
    const dim4 more = {1, 1, 1, 65};
    okk_gdma_8bit_cpy_L2S(a.out, 0, a.right ? &bytes : &more, NULL, NULL);  // stores_bytes_past_the_end
    okk_poll();
}
KERNEL(stores_into_the_next_buffer) {
    begin();
    // The input fills its page.
    okk_gdma_32bit_cpy_L2S(a.in + (a.right ? 0 : 4096), 0, &kRow, NULL, NULL);  // stores_into_the_next_buffer
    okk_poll();
}
KERNEL(sets_what_lies_behind_a_page) {
    begin();
    volatile float* const in = reinterpret_cast<float*>(okk_global_mem_addr(a.in));
    for (int i = 0; i < (a.right ? 1024 : 1025); ++i)
        in[i] = 1;  // sets_what_lies_behind_a_page
    okk_poll();
}
KERNEL(sets_what_lies_behind_the_next_buffer) {
    begin();
    // The output begins 68 KiB after the input; the next allocation follows the output at the same
    // distance.
    volatile char* const in = reinterpret_cast<char*>(okk_global_mem_addr(a.in));
    in[a.right ? 0 : 100 << 10] = 1;  // sets_what_lies_behind_the_next_buffer
    okk_poll();
}
KERNEL(sets_what_lies_before_all) {
    begin();
    volatile float* const in = reinterpret_cast<float*>(okk_global_mem_addr(a.in));
    in[a.right ? 0 : -1] = 1;  // sets_what_lies_before_all
    okk_poll();
}
KERNEL(copies_what_lies_behind_a_page) {
    begin();
    char copy[4160];
    memcpy(copy, okk_global_mem_addr(a.in), a.right ? 4096 : 4160);  // copies_what_lies_behind_a_page
    okk_bdc_mul_C(0, 0, copy[2000], &kRow, NULL, NULL);
    okk_poll();
}
KERNEL(leaves_the_last_lane) {
    begin();
    unsigned char* const lane = okk_local_mem_addr(okk_npu_num() - 1, 0);
    memset(lane + (a.right ? 0 : okk_local_mem_size_per_npu() + 8192), 0, 64);  // leaves_the_last_lane
    okk_poll();
}
KERNEL(points_past_the_end) {
    okk_initialize();
    *okk_global_mem_addr(a.out + (a.right ? 60 : 64)) = 1;  // points_past_the_end
    okk_poll();
}
KERNEL(stores_by_itself_past_the_end) {
    okk_initialize();
    memset(okk_store_addr(a.out, a.right ? 64 : 68), 0, 4);  // stores_by_itself_past_the_end
    okk_poll();
}

// ---- Order --------------------------------------------------------------------------------------
KERNEL(forgets_the_last_poll) {
    begin();
    okk_gdma_32bit_cpy_L2S(a.out, 0, &kRow, NULL, NULL);  // forgets_the_last_poll
    if (a.right) okk_poll();
}
KERNEL(ends_inside_a_section) {
    begin();
    okk_parallel_start();
    okk_gdma_32bit_cpy_L2S(a.out, 0, &kRow, NULL, NULL);
    if (a.right) okk_parallel_end();
    if (a.right) okk_poll();
}
KERNEL(looks_at_local_memory_early) {
    begin();
    okk_bdc_32bit_set_C(0, word(3), &kRow, NULL);
    if (a.right) okk_poll();
    float value;
    memcpy(&value, okk_local_mem_addr(0, 4), sizeof value);  // looks_at_local_memory_early
    okk_bdc_mul_C(0, 0, value, &kRow, NULL, NULL);
    okk_poll();
}
KERNEL(looks_at_l2_early) {
    begin();
    okk_gdma_32bit_cpy_L2S(okk_l2_sram_start_addr(), 0, &kRow, NULL, NULL);
    if (a.right) okk_poll();
    const volatile unsigned char* place = okk_l2_sram_addr(okk_l2_sram_start_addr());  // looks_at_l2_early
    (void)*place;
    okk_poll();
}
KERNEL(looks_at_global_memory_early) {
    begin();
    okk_gdma_32bit_cpy_L2S(a.out, 0, &kRow, NULL, NULL);
    if (a.right) okk_poll();
    const volatile unsigned char* place = okk_global_mem_addr(a.out + 8);  // looks_at_global_memory_early
    (void)*place;
    okk_poll();
}
KERNEL(loads_by_itself_early) {
    begin();
    okk_gdma_32bit_cpy_L2S(a.out, 0, &kRow, NULL, NULL);
    if (a.right) okk_poll();
    const volatile unsigned char* place = okk_load_addr(a.out, 64);  // loads_by_itself_early
    (void)*place;
    okk_poll();
}
KERNEL(uses_an_old_pointer) {
    begin();
    const volatile float* const sums = reinterpret_cast<const float*>(okk_local_mem_addr(0, 0));
    float total = 0;
    for (int i = 0; i < 3; ++i) {
        okk_bdc_add_C(0, 0, 1, &kRow, NULL, NULL);
        if (a.right) okk_poll();
        total += sums[i];  // uses_an_old_pointer
    }
    okk_bdc_mul_C(0, 0, total, &kRow, NULL, NULL);
    okk_poll();
}
KERNEL(uses_an_old_pointer_into_l2) {
    begin();
    const system_addr_t l2 = okk_l2_sram_start_addr();
    unsigned char* const place = okk_l2_sram_addr(l2 + 64);
    okk_gdma_32bit_cpy_L2S(l2, 0, &kBlock, NULL, NULL);
    if (a.right) okk_poll();
    memset(place, 0, 4);  // uses_an_old_pointer_into_l2
    okk_poll();
}
KERNEL(stores_what_is_being_read) {
    begin();
    unsigned char* const factor = okk_local_mem_addr(3, 64);
    okk_bdc_mul_C(1024, 0, 2, &kBlock, NULL, NULL);
    okk_gdma_32bit_cpy_L2S(a.in, 0, &kBlock, NULL, NULL);
    if (a.right) okk_poll();
    *reinterpret_cast<volatile float*>(factor - 64) = 3;  // stores_what_is_being_read
    okk_poll();
}
KERNEL(stores_beside_a_load) {
    okk_initialize();
    okk_gdma_32bit_cpy_S2L(0, a.in, &kBlock, NULL, NULL);
    volatile float* const in = reinterpret_cast<float*>(okk_global_mem_addr(a.in));
    const float first = in[0];
    if (a.right) okk_poll();
    in[5] = first;  // stores_beside_a_load
    okk_poll();
}
KERNEL(changes_what_is_read) {
    okk_initialize();
    okk_gdma_32bit_cpy_S2L(0, a.in, &kBlock, NULL, NULL);
    if (a.right) okk_poll();
    okk_store_addr(a.in, 4)[0] = 1;  // changes_what_is_read
    okk_poll();
}
KERNEL(races_with_a_load) {
    begin();
    okk_parallel_start();
    okk_gdma_32bit_cpy_S2L(0, a.in, &kBlock, NULL, NULL);
    okk_bdc_neg(1024, a.right ? 2048 : 0, &kBlock, NULL, NULL);  // races_with_a_load
    okk_parallel_end();
    okk_poll();
}
KERNEL(races_with_a_store) {
    begin();
    okk_parallel_start();
    okk_gdma_32bit_cpy_L2S(a.out, 0, &kRow, NULL, NULL);
    okk_bdc_neg(a.right ? 1024 : 0, 2048, &kRow, NULL, NULL);  // races_with_a_store
    okk_parallel_end();
    okk_poll();
}

// ---- Rules --------------------------------------------------------------------------------------
KERNEL(overlaps_in_part) {
    begin();
    const dim4 stride = {16, 16, 16, 1};
    okk_bdc_neg(a.right ? 128 : 4, 0, &kRow, &stride, &stride);  // overlaps_in_part
    okk_poll();
}
KERNEL(copies_onto_itself) {
    begin();
    const dim4 stride = {16, 16, 16, 1};
    okk_gdma_32bit_cpy_L2L(a.right ? 128 : 8, 0, &kRow, &stride, &stride);  // copies_onto_itself
    okk_poll();
}
KERNEL(adds_onto_its_own_row) {
    begin();
    const dim4 stride = {16, 16, 16, 1};
    const dim4 repeated = {0, 0, 0, 0};
    okk_bdc_add(0, 0, a.right ? 1024 : 4, &kRow, &stride, &stride, &repeated);  // adds_onto_its_own_row
    okk_poll();
}
KERNEL(adds_up_by_chance) {
    begin();
    // Row 1 reads the result of row 0.
    const dim4 rows = {2, 1, 1, 8};
    const dim4 stride = {8, 8, 8, 1};
    okk_bdc_add(a.right ? 1024 : 64, 0, 32, &rows, &stride, &stride, &stride);  // adds_up_by_chance
    okk_poll();
}
KERNEL(convolves_in_place) {
    begin();
    const dim4 image = {1, 1, 1, 16};
    okk_bdc_conv2d(a.right ? 2048 : 0, 0, 1024, 0, &image, 1, 1, 1, NULL, NULL, false, false, NULL, NULL, NULL);  // convolves_in_place
    okk_poll();
}
KERNEL(multiplies_in_place) {
    begin();
    okk_bdc_matmul(a.right ? 2048 : 0, 0, 1024, 0, 1, 4, 4, 4, 4, false, false);  // multiplies_in_place
    okk_poll();
}
KERNEL(computes_off_the_line) {
    begin();
    okk_bdc_neg(a.right ? 1024 : 1028, 0, &kRow, NULL, NULL);  // computes_off_the_line
    okk_poll();
}
KERNEL(loads_off_the_line) {
    okk_initialize();
    okk_gdma_32bit_cpy_S2L(a.right ? 128 : 132, a.in, &kBlock, NULL, NULL);  // loads_off_the_line
    okk_poll();
}
KERNEL(stores_off_the_line) {
    begin();
    okk_gdma_32bit_cpy_L2S(a.out, a.right ? 128 : 132, &kRow, NULL, NULL);  // stores_off_the_line
    okk_poll();
}
KERNEL(tanh_over_half_of_its_row) {
    begin();
    const dim4 wide = {1, 64, 1, 64};
    okk_bdc_tanh(a.right ? 1024 : 128, 0, 2048, &wide);  // tanh_over_half_of_its_row
    okk_poll();
}
KERNEL(does_not_initialize) {
    if (a.right) okk_initialize();
    okk_bdc_32bit_set_C(0, word(1), &kRow, NULL);  // does_not_initialize
    okk_poll();
}
KERNEL(exp_in_place) {
    begin();
    okk_bdc_exp(a.right ? 1024 : 0, 0, 2048, &kRow);  // exp_in_place
    okk_poll();
}
KERNEL(tanh_in_place) {
    begin();
    okk_bdc_tanh_tunable(a.right ? 1024 : 0, 0, 2048, &kRow, 16);  // tanh_in_place
    okk_poll();
}
KERNEL(exp_of_a_hundred) {
    begin();
    okk_bdc_32bit_set_C(0, word(a.right ? 80.0f : 100.0f), &kRow, NULL);
    okk_bdc_exp(1024, 0, 2048, &kRow);  // exp_of_a_hundred
    okk_poll();
}
KERNEL(sigmoid_far_below_zero) {
    begin();
    okk_bdc_32bit_set_C(0, word(a.right ? -80.0f : -95.0f), &kRow, NULL);
    okk_bdc_sigmoid(1024, 0, 2048, &kRow);  // sigmoid_far_below_zero
    okk_poll();
}
KERNEL(exp_far_below_zero) {
    begin();
    // The low byte of -200 is 56: the table would contain e^56.
    okk_bdc_32bit_set_C(0, word(a.right ? -100.0f : -200.0f), &kRow, NULL);
    okk_bdc_exp(1024, 0, 2048, &kRow);  // exp_far_below_zero
    okk_poll();
}
KERNEL(sigmoid_far_above_zero) {
    begin();
    okk_bdc_32bit_set_C(0, word(a.right ? 80.0f : 150.0f), &kRow, NULL);
    okk_bdc_sigmoid(1024, 0, 2048, &kRow);  // sigmoid_far_above_zero
    okk_poll();
}
KERNEL(exp_of_a_great_integer) {
    begin();
    x32 value;
    value.s32 = a.right ? 88 : 89;
    okk_bdc_32bit_set_C(0, value, &kRow, NULL);
    okk_bdc_lookup_exp(1024, 0, &kRow);  // exp_of_a_great_integer
    okk_poll();
}

// ---- Uninitialised values -----------------------------------------------------------------------
KERNEL(computes_with_nothing) {
    begin();
    okk_bdc_neg(0, a.right ? 1024 : 65536, &kRow, NULL, NULL);  // computes_with_nothing
    okk_gdma_32bit_cpy_L2S(a.out, 0, &kRow, NULL, NULL);
    okk_poll();
}
KERNEL(stores_what_came_of_nothing) {
    begin();
    // 32 of 64 elements are initialised; the others are no mistake unless a result uses them.
    const dim4 stride = {16, 16, 16, 1};
    const dim4 wide = {1, 1, 1, 64};
    okk_bdc_32bit_set_C(65536, word(1), &kRow, &stride);
    okk_bdc_neg(65536 + 4096, 65536, &wide, NULL, NULL);  // stores_what_came_of_nothing
    okk_bdc_mul_C(65536 + 8192, 65536 + 4096, 2, &wide, NULL, NULL);
    okk_gdma_32bit_cpy_L2S(a.out, 65536 + 8192 + (a.right ? 0 : 128), &kRow, NULL, &stride);
    okk_poll();
}
KERNEL(adds_a_bias_of_nothing) {
    begin();
    okk_bdc_bias(1024, 0, a.right ? 2048 : 65536, &kRow, NULL, NULL);  // adds_a_bias_of_nothing
    okk_gdma_32bit_cpy_L2S(a.out, 1024, &kRow, NULL, NULL);
    okk_poll();
}
KERNEL(takes_an_aligned_bias) {
    begin();
    // Two channels in each lane, with their biases next to each other.
    const dim4 values = {1, 128, 1, 1};
    const dim4 compact = {2, 1, 1, 1};
    const dim4 shape = {1, 128, 1, 16};
    okk_gdma_32bit_cpy_S2L(8192, a.in, &values, a.right ? &compact : NULL, NULL);
    okk_bdc_32bit_set_C(16384, word(1), &shape, NULL);
    okk_bdc_bias(24576, 16384, 8192, &shape, NULL, NULL);  // takes_an_aligned_bias
    okk_gdma_32bit_cpy_L2S(a.out, 24576 + 128, &kRow, NULL, NULL);
    okk_poll();
}
KERNEL(stores_with_compact_strides) {
    begin();
    const dim4 shape = {2, 1, 1, 8};
    const dim4 compact = {8, 8, 8, 1};
    okk_bdc_32bit_set_C(16384, word(1), &shape, NULL);
    okk_gdma_32bit_cpy_L2S(a.out, 16384, &shape, NULL, a.right ? NULL : &compact);  // stores_with_compact_strides
    okk_poll();
}
KERNEL(leaves_half_of_its_output) {
    begin();
    const dim4 half = {1, 1, 1, 8};
    okk_gdma_32bit_cpy_L2S(a.out, 0, a.right ? &kRow : &half, NULL, NULL);  // leaves_half_of_its_output
    okk_poll();
}
KERNEL(leaves_half_between_its_rows) {
    begin();
    const dim4 rows = {1, 1, 8, 1};
    const dim4 apart = {16, 16, 2, 1};
    okk_gdma_32bit_cpy_L2S(a.out, 0, a.right ? &kRow : &rows, a.right ? NULL : &apart, NULL);  // leaves_half_between_its_rows
    okk_poll();
}
KERNEL(leaves_half_to_nobody) {
    begin();
    if (a.right) okk_gdma_32bit_cpy_L2S(a.out, 0, &kRow, NULL, NULL);
    okk_poll();
}
KERNEL(takes_a_factor_of_nobody) {
    begin();
    volatile float* const table = reinterpret_cast<float*>(okk_dtcm_addr(okk_dtcm_start_addr()));
    for (int i = 0; i < 8; ++i) table[i] = 2;
    const float factor = table[a.right ? 7 : 8];  // takes_a_factor_of_nobody
    okk_bdc_mul_C(0, 0, factor, &kRow, NULL, NULL);
    okk_poll();
}
KERNEL(takes_a_shape_of_nobody) {
    begin();
    volatile int* const count = reinterpret_cast<int*>(okk_l2_sram_addr(okk_l2_sram_start_addr() + 64));
    if (a.right) *count = 7;
    const dim4 shape = {1, 1, 1, *count & 15};  // takes_a_shape_of_nobody
    okk_bdc_neg(0, 0, &shape, NULL, NULL);
    okk_poll();
}
KERNEL(looks_at_a_lane_of_nobody) {
    begin();
    const volatile float* const lane = reinterpret_cast<float*>(okk_local_mem_addr(5, 0));
    const float value = lane[a.right ? 100 : 10000];  // looks_at_a_lane_of_nobody
    okk_bdc_mul_C(0, 0, value, &kRow, NULL, NULL);
    okk_poll();
}
KERNEL(looks_at_its_own_output) {
    begin();
    const volatile float* const out = reinterpret_cast<float*>(okk_global_mem_addr(a.out));
    const volatile float* const in = reinterpret_cast<float*>(okk_global_mem_addr(a.in));
    const float value = a.right ? in[3] : out[3];  // looks_at_its_own_output
    okk_bdc_mul_C(0, 0, value, &kRow, NULL, NULL);
    okk_poll();
}
KERNEL(copies_nothing_by_itself) {
    begin();
    volatile float* const table = reinterpret_cast<float*>(okk_dtcm_addr(okk_dtcm_start_addr()));
    volatile float* const out = reinterpret_cast<float*>(okk_global_mem_addr(a.out));
    for (int i = 0; i < (a.right ? 16 : 8); ++i) table[i] = 2;
    for (int i = 0; i < 16; ++i) out[i] = table[i];
    okk_poll();
}
KERNEL(copies_nothing_by_vectors) {
    begin();
    volatile float* const table = reinterpret_cast<float*>(okk_dtcm_addr(okk_dtcm_start_addr()));
    void* const out = okk_global_mem_addr(a.out);
    for (int i = 0; i < (a.right ? 16 : 8); ++i) table[i] = 2;
    volatile size_t bytes = 64;
    memcpy(out, const_cast<float*>(table), bytes);  // copies_nothing_by_vectors
    okk_poll();
}
/// The last 8 of `bytes` are undefined; the copy passes through DTCM and L2 to the output's end.
void copies_by_the_library(const Arguments& a, size_t bytes) {
    begin();
    volatile size_t all = bytes, last = 64;
    unsigned char* const table = okk_dtcm_addr(okk_dtcm_start_addr() + 4);
    unsigned char* const parked = okk_l2_sram_addr(okk_l2_sram_start_addr());
    memset(table, 1, a.right ? bytes : bytes - 8);
    memcpy(parked, table, all);
    okk_poll();
    memmove(okk_global_mem_addr(a.out), parked + bytes - 64, last);
    okk_poll();
}
KERNEL(copies_100_bytes_by_the_library) { copies_by_the_library(a, 100); }
KERNEL(copies_300_bytes_by_the_library) { copies_by_the_library(a, 300); }
KERNEL(copies_3000_bytes_by_the_library) { copies_by_the_library(a, 3000); }
KERNEL(copies_20000_bytes_by_the_library) { copies_by_the_library(a, 20000); }
KERNEL(counts_up_what_is_not_there) {
    begin();
    volatile int* const counts = reinterpret_cast<int*>(okk_dtcm_addr(okk_dtcm_start_addr()));
    for (int i = 0; i < (a.right ? 16 : 15); ++i) counts[i] = 0;
    for (int i = 0; i < 32; ++i)
        counts[i % 16] += 1;  // counts_up_what_is_not_there
    okk_bdc_mul_C(0, 0, static_cast<float>(counts[3]), &kRow, NULL, NULL);
    okk_poll();
}
KERNEL(adds_up_nothing_by_itself) {
    begin();
    volatile float* const table = reinterpret_cast<float*>(okk_dtcm_addr(okk_dtcm_start_addr()));
    float* const out = reinterpret_cast<float*>(okk_global_mem_addr(a.out));
    float kept[16];
    for (int i = 0; i < (a.right ? 16 : 15); ++i) table[i] = 2;
    for (int i = 0; i < 16; ++i) kept[i] = table[i];  // adds_up_nothing_by_itself
    float sum = 0;
    for (int i = 0; i < 16; ++i) sum += kept[i];
    for (int i = 0; i < 16; ++i) out[i] = sum;
    okk_poll();
}
KERNEL(sets_one_too_many_by_itself) {
    begin();
    volatile float* const out = reinterpret_cast<float*>(okk_global_mem_addr(a.out));
    for (int i = 0; i < (a.right ? 16 : 17); ++i)
        out[i] = 1;  // sets_one_too_many_by_itself
    okk_poll();
}
KERNEL(passes_the_end_behind_many_stores) {
    begin();
    volatile float* const out = reinterpret_cast<float*>(okk_global_mem_addr(a.out));
    for (int i = 0; i < 800; ++i) out[i % 16] = static_cast<float>(i);
    out[a.right ? 3 : 16] = 2;  // passes_the_end_behind_many_stores
    okk_poll();
}
KERNEL(leaves_half_behind_many_stores) {
    begin();
    volatile float* const out = reinterpret_cast<float*>(okk_global_mem_addr(a.out));
    for (int i = 0; i < 800; ++i) out[i % (a.right ? 16 : 8)] = static_cast<float>(i);
    okk_poll();
}
KERNEL(sets_what_is_far_away) {
    begin();
    volatile float* const out = reinterpret_cast<float*>(okk_global_mem_addr(a.out));
    out[a.right ? 10 : 1000000] = 1;  // sets_what_is_far_away
    okk_poll();
}
KERNEL(clears_too_much_by_itself) {
    begin();
    memset(okk_global_mem_addr(a.out), 0, a.right ? 64 : 80);  // clears_too_much_by_itself
    okk_poll();
}
KERNEL(leaves_its_lane) {
    begin();
    volatile float* const lane = reinterpret_cast<float*>(okk_local_mem_addr(2, 0));
    lane[a.right ? 0 : okk_local_mem_size_per_npu() / 4 + 2] = 1;  // leaves_its_lane
    okk_poll();
}
KERNEL(leaves_dtcm_by_itself) {
    begin();
    unsigned char* const last = okk_dtcm_addr(okk_dtcm_start_addr() + okk_dtcm_size() - 64);
    memset(last, 1, a.right ? 64 : 128);  // leaves_dtcm_by_itself
    okk_poll();
}
KERNEL(leaves_l2_by_itself) {
    begin();
    volatile float* const l2 = reinterpret_cast<float*>(okk_l2_sram_addr(okk_l2_sram_start_addr()));
    l2[a.right ? 0 : okk_l2_sram_size() / 4 + 3] = 1;  // leaves_l2_by_itself
    okk_poll();
}
KERNEL(hands_nothing_to_the_processor) {
    begin();
    okk_bdc_neg(0, a.right ? 1024 : 65536, &kRow, NULL, NULL);  // hands_nothing_to_the_processor
    okk_poll();
    float value;
    memcpy(&value, okk_local_mem_addr(0, 0), sizeof value);
    okk_bdc_mul_C(0, 0, value, &kRow, NULL, NULL);
    okk_gdma_32bit_cpy_L2S(a.out, 0, &kRow, NULL, NULL);
    okk_poll();
}
KERNEL(parks_nothing_in_l2) {
    begin();
    const dim4 one = {1, 1, 1, 1};
    const system_addr_t l2 = okk_l2_sram_start_addr();
    okk_gdma_32bit_cpy_L2S(l2, a.right ? 0 : 65536, &kRow, NULL, NULL);  // parks_nothing_in_l2
    okk_gdma_32bit_cpy_S2L(1024, l2, &kRow, NULL, NULL);
    okk_bdc_32bit_set_C(1024, word(1), &one, NULL);
    okk_gdma_32bit_cpy_L2S(a.out, 1024, &kRow, NULL, NULL);
    okk_poll();
}
KERNEL(takes_dummies_for_nothing) {
    begin();
    // Three of four batches of bytes are initialised.
    const dim4 three = {3, 1, 1, 16};
    const dim4 four = {4, 1, 1, 16};
    okk_bdc_32bit_set_C(65536, word(1), &kRow, NULL);
    okk_bdc_fixed_point_packed_mul_C(69632, 65536, 2, &three, NULL, NULL, S8_OP_S8_TO_S8, 0);
    okk_bdc_fixed_point_packed_max_C(73728, 69632, 0, a.right ? &three : &four, NULL, NULL, S8_OP_S8_TO_S8);  // takes_dummies_for_nothing
    okk_bdc_fixed_point_packed_add(73728, 73728, 69632, &three, NULL, NULL, NULL, S8_OP_S8_TO_S8, 0);
    okk_gdma_32bit_cpy_L2S(a.out, 73728, &kRow, NULL, NULL);
    okk_poll();
}
KERNEL(loads_its_own_output) {
    okk_initialize();
    okk_gdma_32bit_cpy_S2L(0, a.right ? a.in : a.out, &kRow, NULL, NULL);  // loads_its_own_output
    okk_gdma_32bit_cpy_L2S(a.out, 0, &kRow, NULL, NULL);
    okk_poll();
}

// ---- Correct kernels that read uninitialised memory but do not use the values -------------------
// begin() does not write local memory from byte 4096 on.
KERNEL(computes_whole_lines) {
    begin();
    const dim4 line = {1, 1, 1, 32};
    const dim4 stride = {32, 32, 32, 1};
    okk_bdc_32bit_set_C(8192, word(1), &kRow, &stride);
    okk_bdc_neg(16384, 8192, &line, &stride, &stride);
    okk_bdc_exp(24576, 16384, 32768, &line);
    okk_gdma_32bit_cpy_L2S(a.out, 24576, &kRow, NULL, NULL);
    okk_poll();
}
KERNEL(parks_whole_lines_in_l2) {
    begin();
    const dim4 line = {1, 1, 1, 32};
    const dim4 stride = {32, 32, 32, 1};
    const system_addr_t l2 = okk_l2_sram_start_addr();
    okk_bdc_32bit_set_C(8192, word(1), &kRow, &stride);
    okk_gdma_32bit_cpy_L2S(l2, 8192, &line, NULL, &stride);
    okk_gdma_32bit_cpy_S2L(16384, l2, &line, &stride, NULL);
    okk_gdma_32bit_cpy_L2S(a.out, 16384, &kRow, NULL, NULL);
    okk_poll();
}
KERNEL(adds_halves_in_place) {
    begin();
    // Rows of 16 become rows of 8 with smaller strides: every result goes to an address already
    // read.
    const dim4 halves = {2, 1, 1, 8};
    const dim4 from = {16, 16, 16, 1};
    const dim4 to = {8, 8, 8, 1};
    okk_bdc_add(0, 0, 32, &halves, &to, &from, &from);
    okk_gdma_32bit_cpy_L2S(a.out, 0, &kRow, NULL, NULL);
    okk_poll();
}
KERNEL(pools_all_lanes) {
    begin();
    const dim4 three = {1, 3, 8, 8};
    const dim4 all = {1, 64, 8, 8};
    const dim4 stored = {1, 1, 4, 4};
    const dim2 step = {2, 2};
    okk_bdc_32bit_set_C(8192, word(1), &three, NULL);
    okk_bdc_max_pool2d(16384, 8192, &all, 2, 2, NULL, &step);
    okk_bdc_avg_pool2d(24576, 8192, &all, 2, 2, NULL, &step);
    okk_bdc_add(16384, 16384, 24576, &stored, NULL, NULL, NULL);
    okk_gdma_32bit_cpy_L2S(a.out, 16384, &stored, NULL, NULL);
    okk_poll();
}
KERNEL(filters_all_lanes) {
    begin();
    const dim4 three = {1, 3, 4, 4};
    const dim4 weights = {1, 3, 3, 3};
    const dim4 all = {1, 64, 4, 4};
    const Padding around = {1, 1, 1, 1};
    const dim4 stored = {1, 1, 4, 4};
    okk_bdc_32bit_set_C(8192, word(1), &three, NULL);
    const dim4 compact = {0, 9, 3, 1};
    okk_bdc_32bit_set_C(16384, word(1), &weights, &compact);
    okk_bdc_depthwise2d(24576, 8192, 16384, 0, &all, 3, 3, false, &around, NULL, NULL);
    okk_gdma_32bit_cpy_L2S(a.out, 24576, &stored, NULL, NULL);
    okk_poll();
}
KERNEL(convolves_for_all_lanes) {
    begin();
    const dim4 image = {1, 2, 4, 4};
    const dim4 weights = {1, 16, 1, 2};  // 16 of 64 output channels, a pair of input channels
    const dim4 pairs = {2, 2, 2, 1};
    const dim4 stored = {1, 1, 4, 4};
    okk_bdc_32bit_set_C(8192, word(1), &image, NULL);
    okk_bdc_32bit_set_C(16384, word(1), &weights, &pairs);
    okk_bdc_conv2d(24576, 8192, 16384, 0, &image, 64, 1, 1, NULL, NULL, false, false, NULL, NULL, NULL);
    okk_gdma_32bit_cpy_L2S(a.out, 24576, &stored, NULL, NULL);
    okk_poll();
}
KERNEL(stores_columns_of_nobody) {
    begin();
    const dim4 left = {1, 1, 1, 16};
    const dim4 first = {16, 1, 1, 8}, second = {16, 1, 1, a.right ? 8 : 4}, stored = {1, 2, 1, 8};
    const dim4 stride = {32, 32, 32, 1};
    okk_bdc_32bit_set_C(8192, word(1), &left, NULL);
    okk_bdc_32bit_set_C(16384, word(1), &first, &stride);
    okk_bdc_32bit_set_C(okk_local_mem_size_per_npu() + 16384, word(1), &second, &stride);
    // The second channel needs 4 of its 8 columns; the command computes and stores all 8.
    okk_bdc_matmul(24576, 8192, 16384, 0, 1, 16, 12, 16, 8, false, false);  // stores_columns_of_nobody
    okk_gdma_32bit_cpy_L2S(a.out, 24576, &stored, NULL, NULL);
    okk_poll();
}
KERNEL(multiplies_whole_lines) {
    begin();
    const dim4 left = {1, 1, 1, 16};
    const dim4 right = {16, 1, 1, 16};  // 16 of 32 columns
    const dim4 stride = {32, 32, 32, 1};
    okk_bdc_32bit_set_C(8192, word(1), &left, NULL);
    okk_bdc_32bit_set_C(16384, word(1), &right, &stride);
    okk_bdc_matmul(24576, 8192, 16384, 0, 1, 16, 32, 16, 32, false, false);
    okk_gdma_32bit_cpy_L2S(a.out, 24576, &kRow, NULL, NULL);
    okk_poll();
}

// ---- Correct kernels with pointers ---------------------------------------------------------------
struct Row {
    float values[5];
    char name[44];  // of which the kernel writes 3
};
/// Copies whole structures including their uninitialised padding bytes.
KERNEL(moves_rows_with_holes) {
    begin();
    Row* const rows = reinterpret_cast<Row*>(okk_dtcm_addr(okk_dtcm_start_addr()));
    Row* const others = reinterpret_cast<Row*>(okk_l2_sram_addr(okk_l2_sram_start_addr()));
    for (int i = 0; i < 5; ++i) rows[0].values[i] = 2;
    memcpy(rows[0].name, "ab", 3);
    Row kept = rows[0];
    others[0] = kept;
    others[1] = others[0];
    volatile char* const to = reinterpret_cast<volatile char*>(&others[2]);
    for (size_t i = 0; i < sizeof kept; ++i) to[i] = reinterpret_cast<const volatile char*>(&rows[0])[i];
    volatile size_t bytes = sizeof kept;
    memcpy(&others[3], &others[2], bytes);
    okk_poll();
    float sum = 0;
    for (int i = 0; i < 5; ++i) sum += others[1].values[i] + others[3].values[i];
    okk_bdc_mul_C(0, 0, sum, &kRow, NULL, NULL);
    okk_poll();
}
struct Item {
    int key;
    char name[12];  // of which the kernel writes 2
    float weight;
};
/// Reverses a list of structures, with and without functions of the C library.
KERNEL(turns_items_round) {
    begin();
    Item* const items = reinterpret_cast<Item*>(okk_dtcm_addr(okk_dtcm_start_addr()));
    Item* const others = reinterpret_cast<Item*>(okk_l2_sram_addr(okk_l2_sram_start_addr()));
    for (int i = 0; i < 16; ++i) {
        items[i].key = i;
        items[i].weight = static_cast<float>(i);
        memcpy(items[i].name, "x", 2);
    }
    for (int i = 0; i < 16; ++i) others[i] = items[15 - i];
    volatile size_t bytes = 16 * sizeof(Item);
    memmove(items, others, bytes);
    float sum = 0;
    for (int i = 0; i < 16; ++i) {
        sum += items[i].weight * static_cast<float>(items[i].key);
        if (items[i].name[0] != 'x') sum = 0;
    }
    okk_bdc_mul_C(0, 0, sum, &kRow, NULL, NULL);
    okk_poll();
}
KERNEL(asks_before_it_waits) {
    begin();
    okk_bdc_32bit_set_C(0, word(3), &kRow, NULL);
    const float* const value = reinterpret_cast<const float*>(okk_local_mem_addr(0, 4));
    unsigned char* const place = okk_global_mem_addr(a.out);
    okk_gdma_32bit_cpy_L2S(a.out, 0, &kRow, NULL, NULL);
    okk_poll();
    memcpy(place, value, sizeof *value);
    okk_bdc_mul_C(0, 0, *value, &kRow, NULL, NULL);
    okk_poll();
}
KERNEL(looks_beside_what_is_written) {
    begin();
    // In the same pages: the word after the row, the rows of another lane, words between two rows.
    volatile float* const row = reinterpret_cast<float*>(okk_local_mem_addr(0, 0));
    volatile float* const other = reinterpret_cast<float*>(okk_local_mem_addr(1, 0));
    const dim4 rows = {2, 1, 1, 8};
    const dim4 stride = {32, 32, 32, 1};
    for (int i = 0; i < 100; ++i) {
        okk_bdc_add_C(0, 512, 1, &rows, &stride, &stride);
        row[8 + i % 16] = row[40];
        other[i % 16] = row[31] + row[128 + i % 8];
    }
    okk_poll();
}

KERNEL(adds_up_in_its_output) {
    okk_initialize();
    volatile float* const out = reinterpret_cast<float*>(okk_global_mem_addr(a.out));
    for (int turn = 0; turn < 3; ++turn) {
        for (int i = 0; i < 16; ++i) out[i] = static_cast<float>(i) + (turn > 0 ? out[i] : 0);
    }
}
// 0.1 is 0x3DCCCCCD and -4e8 is 0xCDBEBC20; fresh memory holds 0xCD.
KERNEL(stores_bytes_of_fresh_memory) {
    okk_initialize();
    const system_addr_t l2 = okk_l2_sram_start_addr();
    volatile float* const parked = reinterpret_cast<float*>(okk_l2_sram_addr(l2));
    for (int i = 0; i < 400; ++i) parked[i] = 0.1f;
    const dim4 half = {1, 1, 1, 8};
    okk_gdma_32bit_cpy_S2S(a.out, l2 + 1024, &half, NULL, NULL);
    okk_poll();
    volatile float* const out = reinterpret_cast<float*>(okk_global_mem_addr(a.out));
    for (int i = 8; i < 16; ++i) out[i] = i % 2 == 0 ? 0.1f : -4e8f;
}
KERNEL(stores_fresh_memory_by_vectors) {
    okk_initialize();
    typedef signed char Bytes __attribute__((vector_size(16)));
    Bytes fresh;
    memset(&fresh, 0xCD, sizeof fresh);
    volatile Bytes* const out = reinterpret_cast<Bytes*>(okk_global_mem_addr(a.out));
    for (int i = 0; i < 4; ++i) out[i] = fresh;
}
// Stores the same bytes through a pointer into a lane, for commands to read.
KERNEL(stores_fresh_memory_for_commands) {
    okk_initialize();
    volatile unsigned* const lane = reinterpret_cast<unsigned*>(okk_local_mem_addr(0, 0));
    for (int i = 0; i < 64; ++i) lane[i] = 0xCDCDCDCDu;
    okk_gdma_32bit_cpy_L2S(a.out, 128, &kRow, NULL, NULL);
    okk_poll();
}
KERNEL(keeps_memory_in_a_file) {
    begin();
    const dim4 row = {1, 1, 1, 1024};
    const dim4 block = {1, 1, 1, 4096};
    okk_gdma_32bit_cpy_S2L(0, a.in, &row, NULL, NULL);
    okk_bdc_32bit_set_C(4096, word(2), &block, NULL);
    okk_poll();
    FILE* const file = tmpfile();
    OKKERNEL_ASSERT(fwrite(okk_local_mem_addr(0, 0), 1, 20480, file) == 20480);
    rewind(file);
    OKKERNEL_ASSERT(fread(okk_local_mem_addr(1, 0), 1, 20480, file) == 20480);
    const float* const copy = reinterpret_cast<const float*>(okk_local_mem_addr(1, 0));
    OKKERNEL_ASSERT(copy[1023] == 0.5f && copy[1024] == 2 && copy[5119] == 2);
    OKKERNEL_ASSERT(pread(fileno(file), okk_global_mem_addr(a.out), 64, 4096) == 64);
    fclose(file);
}

// ---- Mistakes of the host ----
KERNEL(frees_twice) {
    begin();
    okk_gdma_32bit_cpy_L2S(a.out, 0, &kRow, NULL, NULL);
    okk_poll();
}
void* sums_up(void* sum) {
    *static_cast<float*>(sum) += 1;
    return nullptr;
}
KERNEL(works_in_a_thread) {
    begin();
    float sum = 2;
    pthread_t thread;
    if (a.right) sums_up(&sum);
    else if (pthread_create(&thread, nullptr, sums_up, &sum) == 0) pthread_join(thread, nullptr);  // works_in_a_thread
    okk_bdc_32bit_set_C(0, word(sum), &kRow, NULL);
    okk_gdma_32bit_cpy_L2S(a.out, 0, &kRow, NULL, NULL);
    okk_poll();
}
KERNEL(reads_while_running) {
    begin();
    okk_gdma_32bit_cpy_L2S(a.out, 0, &kRow, NULL, NULL);
    okk_poll();
}
KERNEL(frees_while_running) {
    okk_initialize();
    okk_gdma_32bit_cpy_S2L(0, a.in, &kBlock, NULL, NULL);
    okk_poll();
}
KERNEL(writes_while_running) {
    okk_initialize();
    okk_gdma_32bit_cpy_S2L(0, a.in, &kBlock, NULL, NULL);
    okk_poll();
}

// clang-format on

}  // namespace

int main(int, char** argv) {
    const std::string name = argv[1];
    chosen() = name;
    const bool right = strcmp(argv[2], "right") == 0;
    std::vector<float> values(1024, 0.5f), results(16);
    bm_handle_t handle;
    bm_device_mem_t in, out, other;
    if (bm_dev_request(&handle, 0) != BM_SUCCESS) return 1;
    bm_malloc_device_byte(handle, &in, 4096);
    bm_malloc_device_byte(handle, &out, 64);
    bm_malloc_device_byte(handle, &other, 64);
    bm_memcpy_s2d(handle, in, values.data());
    if (name.find("former_buffer") != std::string::npos) {
        bm_free_device(handle, in);
        bm_malloc_device_byte(handle, &in, 64);
        if (right && name[0] == 't') bm_memcpy_s2d(handle, in, values.data());
    }
    Arguments args = {bm_mem_get_device_addr(in), bm_mem_get_device_addr(out), right, 0};
    if (name == "uses_freed_memory" && !right) bm_free_device(handle, out);
    bm_device_mem_t next;
    if (name == "uses_memory_of_a_freed_buffer") {
        if (!right) bm_free_device(handle, out);
        bm_malloc_device_byte(handle, &next, 64);
    }
    if (name.find("_by_a_kept_pointer") != std::string::npos) {
        okkernel_launch_sync(handle, "launched", &args, sizeof args);
        if (!right) bm_free_device(handle, name[0] == 's' ? out : in);
        if (name.find("what_was_freed") != std::string::npos)
            bm_malloc_device_byte(handle, &next, 64);
    }
    const int before = name == "stores_in_many_launches" ? 3000 : 0;
    for (int i = 0; i < before; ++i) okkernel_launch_sync(handle, "launched", &args, sizeof args);
    okkernel_launch_async(handle, "launched", &args, sizeof args);
    if (right || name.find("_while_running") == std::string::npos) okkernel_sync(handle);
    if (name == "reads_while_running")
        bm_memcpy_d2s(handle, results.data(), out);  // reads_while_running
    if (name == "writes_while_running")
        bm_memcpy_s2d(handle, in, values.data());                   // writes_while_running
    if (name == "frees_while_running") bm_free_device(handle, in);  // frees_while_running
    okkernel_sync(handle);
    static const char* const kLooked[] = {
        "nothing",         "loads_its",   "aligned_bias", "adds_up_in", "in_a_file", "fresh_memory",
        "compact_strides", "leaves_half", "whole_lines",  "columns_of", "by_the_lib"};
    for (const char* looked : kLooked) {
        if (name.find(looked) != std::string::npos) bm_memcpy_d2s(handle, results.data(), out);
    }
    if (name == "takes_what_a_former_buffer_left") bm_memcpy_d2s(handle, results.data(), out);
    if (name == "leaves_what_a_former_buffer_left") bm_memcpy_d2s(handle, results.data(), in);
    if (name == "frees_twice" && !right) bm_free_device(handle, other);
    bm_free_device(handle, other);  // frees_twice
    bm_dev_free(handle);
    return 0;
}
