/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/firmware/faulty_kernels.h"

#include <assert.h>
#include <stdlib.h>

#include "firmware/okk.h"

static volatile int zero = 0;
static const dim4 shape = {1, 2, 2, 2};

static void set(local_addr_t addr) {
    x32 value = {.u32 = 1};
    okk_bdc_32bit_set_C(addr, value, &shape, 0);
}

void dereferences_null(const void* args) {
    (void)args;
    volatile int* pointer = 0;
    *pointer = 1;
}

void reads_device_address(const void* args) {
    (void)args;
    zero = *(volatile int*)okk_global_mem_start_addr();
}

void divides_by_zero(const void* args) {
    (void)args;
    zero = 7 / zero;
}

void asserts_falsely(const void* args) {
    (void)args;
    OKKERNEL_ASSERT(shape.n == 2);
}

void exits(const void* args) {
    (void)args;
    set(0);
    exit(zero + 5);
}

void aborts(const void* args) {
    (void)args;
    assert(zero == 1);
}

static int deeper(volatile char* above) {
    volatile char frame[4096];
    frame[0] = above[0];
    return deeper(frame) + frame[0];
}

void recurses_without_end(const void* args) {
    volatile char frame[1] = {args != 0};
    zero = deeper(frame);
}

void loops_without_commands(const void* args) {
    (void)args;
    set(0);
    while (zero == 0) {
    }
}

void loops_with_queries(const void* args) {
    (void)args;
    while (okk_npu_num() != zero) {
    }
}

void loops_with_commands(const void* args) {
    (void)args;
    while (zero == 0) set(0);
}

void passes_bad_pointer(const void* args) {
    (void)args;
    x32 value = {.u32 = 1};
    okk_bdc_32bit_set_C(0, value, (const dim4*)0x10, 0);
}

void passes_null_shape(const void* args) {
    (void)args;
    x32 value = {.u32 = 1};
    okk_bdc_32bit_set_C(0, value, 0, 0);
}

void passes_bad_address(const void* args) {
    (void)args;
    set(2);
}

void polls_in_parallel(const void* args) {
    (void)args;
    okk_parallel_start();
    okk_poll();
}

void reads_too_many_arguments(const void* args) { zero = ((const volatile int*)args)[2]; }

void runs_well(const void* args) {
    (void)args;
    okk_initialize();
    set(0);
    okk_poll();
}
