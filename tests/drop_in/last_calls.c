/* SPDX-License-Identifier: Apache-2.0
 * Kernels with a mistake in their last call, which optimisers turn into a jump. A comment `mistake`
 * ends the line of the call, a comment `kernel` the first line of the kernel. */
#include <string.h>

#include "okk.h"

/* clang-format off */

typedef struct { unsigned long long out, in; } Arguments;

static const dim4 kBlock = {1, 4, 1, 16};
static const dim4 kMore = {1, 4, 1, 17};

void stores_too_much(const void* args) {  /* kernel stores_too_much */
    const Arguments* const a = args;
    okk_initialize();
    okk_gdma_32bit_cpy_S2L(0, a->in, &kBlock, 0, 0);
    okk_bdc_32bit_set_C(256, (x32){.s32 = 0}, &kMore, 0);
    okk_gdma_32bit_cpy_L2S(a->out, 256, &kMore, 0, 0);  /* mistake stores_too_much */
}
OKKERNEL_FUNC_REGISTER(stores_too_much)

void polls_in_a_section(const void* args) {  /* kernel polls_in_a_section */
    (void)args;
    okk_initialize();
    okk_parallel_start();
    okk_poll();  /* mistake polls_in_a_section */
}
OKKERNEL_FUNC_REGISTER(polls_in_a_section)

void begins_a_section(const void* args) {  /* kernel begins_a_section */
    (void)args;
    okk_initialize();
    okk_parallel_start();  /* mistake begins_a_section */
}
OKKERNEL_FUNC_REGISTER(begins_a_section)

__attribute__((noinline)) static void smash(volatile char* bytes, int count) {
    int i;
    for (i = 0; i < count; ++i) bytes[i] = 0x41;
}
void returns_to_nowhere(const void* args) {  /* kernel returns_to_nowhere */
    volatile char array[32];
    (void)args;
    okk_initialize();
    smash(array, 400);
    okk_poll();
}  /* mistake returns_to_nowhere */
OKKERNEL_FUNC_REGISTER(returns_to_nowhere)

void calls_nothing(const void* args) {  /* kernel calls_nothing */
    const Arguments* const a = args;
    okk_initialize();
    ((void (*)(void))a->in)();  /* mistake calls_nothing */
}
OKKERNEL_FUNC_REGISTER(calls_nothing)

void clears_nothing(const void* args) {  /* kernel clears_nothing */
    const Arguments* const a = args;
    okk_initialize();
    memset((void*)8, 0, a->in & 4096 ? 8192 : 12288);  /* mistake clears_nothing */
}
OKKERNEL_FUNC_REGISTER(clears_nothing)

void stores_late(const void* args) {  /* kernel stores_late */
    const Arguments* const a = args;
    okk_initialize();
    okk_gdma_32bit_cpy_S2L(0, a->in, &kBlock, 0, 0);
    okk_gdma_32bit_cpy_L2S(a->out, 0, &kBlock, 0, 0);  /* mistake stores_late */
}
OKKERNEL_FUNC_REGISTER(stores_late)
