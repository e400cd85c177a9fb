/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels for the command-line tests: one that works and one for each mistake. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "okk.h"
#include "okk_access.h"
#include "okk_custom.h"

typedef struct {
    int count;
    float addend;
    unsigned long long output;
    unsigned long long input;
} add_args_t;

/* output = input + addend; count <= 64 values, one per lane. */
void cli_add(const void* args) {
    const add_args_t* arg = (const add_args_t*)args;
    const dim4 shape = {1, arg->count, 1, 1};
    okk_initialize();
    okk_gdma_32bit_cpy_S2L(0, arg->input, &shape, NULL, NULL);
    okk_bdc_add_C(128, 0, arg->addend, &shape, NULL, NULL);
    okk_gdma_32bit_cpy_L2S(arg->output, 128, &shape, NULL, NULL);
    okk_poll();
}
OKKERNEL_FUNC_REGISTER(cli_add);

/* Charges its own computing. */
void cli_computes(const void* args) {
    (void)args;
    okk_initialize();
    okk_compute("digits", OKK_INTEGER_OPERATIONS, 1000);
    okk_poll();
}
OKKERNEL_FUNC_REGISTER(cli_computes);

/* Reads a sum with an uninitialised operand. */
void cli_reads_unwritten(const void* args) {
    const dim4 shape = {1, 4, 1, 1};
    (void)args;
    okk_initialize();
    okk_bdc_add_C(0, 0x4000, 1.0f, &shape, NULL, NULL);
    okk_gdma_32bit_cpy_L2S(okk_l2_sram_start_addr(), 0, &shape, NULL, NULL);
    okk_poll();
    (void)okk_l2_sram_addr(okk_l2_sram_start_addr());
}
OKKERNEL_FUNC_REGISTER(cli_reads_unwritten);

/* Writes the operand of a concurrent addition. */
void cli_races(const void* args) {
    const dim4 shape = {1, 4, 1, 1};
    const x32 one = {.fp32 = 1.0f};
    (void)args;
    okk_initialize();
    okk_bdc_32bit_set_C(0, one, &shape, NULL);
    okk_parallel_start();
    okk_bdc_add_C(128, 0, 1.0f, &shape, NULL, NULL);
    okk_gdma_32bit_set_C_local(0, one, &shape, NULL);
    okk_parallel_end();
    okk_poll();
}
OKKERNEL_FUNC_REGISTER(cli_races);

void cli_bad_address(const void* args) {
    const dim4 shape = {1, 4, 1, 1};
    (void)args;
    okk_initialize();
    okk_bdc_add_C(okk_local_mem_size_per_npu() * (unsigned)okk_npu_num(), 0, 1.0f, &shape, NULL,
                  NULL);
}
OKKERNEL_FUNC_REGISTER(cli_bad_address);

void cli_polls_in_parallel(const void* args) {
    (void)args;
    okk_initialize();
    okk_parallel_start();
    okk_poll();
    okk_parallel_end();
}
OKKERNEL_FUNC_REGISTER(cli_polls_in_parallel);

void cli_never_returns(const void* args) {
    const dim4 shape = {1, 4, 1, 1};
    const x32 one = {.fp32 = 1.0f};
    (void)args;
    okk_initialize();
    for (;;) okk_bdc_32bit_set_C(0, one, &shape, NULL);
}
OKKERNEL_FUNC_REGISTER(cli_never_returns);

/* Computes without end and without a call, after it has made the file "spins". */
void cli_spins(const void* args) {
    static volatile int turns;
    const dim4 shape = {1, 4, 1, 1};
    const x32 one = {.fp32 = 1.0f};
    (void)args;
    okk_initialize();
    okk_bdc_32bit_set_C(0, one, &shape, NULL);
    fclose(fopen("spins", "w"));
    for (;;) ++turns;
}
OKKERNEL_FUNC_REGISTER(cli_spins);

/* Sleeps without end, after it has made the file "spins". */
void cli_sleeps(const void* args) {
    (void)args;
    okk_initialize();
    fclose(fopen("spins", "w"));
    for (;;) usleep(100000);
}
OKKERNEL_FUNC_REGISTER(cli_sleeps);

void cli_asserts(const void* args) {
    (void)args;
    OKKERNEL_ASSERT(okk_npu_num() == 0);
}
OKKERNEL_FUNC_REGISTER(cli_asserts);

void cli_divides_by_zero(const void* args) {
    static volatile int zero;
    (void)args;
    zero = 7 / zero;
}
OKKERNEL_FUNC_REGISTER(cli_divides_by_zero);

void cli_dereferences_null(const void* args) {
    (void)args;
    *(volatile int*)0 = 1;
}
OKKERNEL_FUNC_REGISTER(cli_dereferences_null);

void cli_exits(const void* args) {
    (void)args;
    exit(0);
}
OKKERNEL_FUNC_REGISTER(cli_exits);

/* A custom operator that computes exp in-place, which okk_bdc_exp() does not allow. */
void cli_exp_in_place(const void* args) {
    const okk_custom_tensor_t* input = okk_custom_input(args, 0);
    const okk_custom_tensor_t* output = okk_custom_output(args, 0);
    const dim4 shape = {1, 1, 1, (int)okk_custom_count(input)};
    okk_initialize();
    okk_gdma_32bit_cpy_S2L(0, input->addr, &shape, NULL, NULL);
    okk_bdc_exp(0, 0, 4096, &shape);
    okk_gdma_32bit_cpy_L2S(output->addr, 0, &shape, NULL, NULL);
    okk_poll();
}
OKKERNEL_FUNC_REGISTER(cli_exp_in_place);
