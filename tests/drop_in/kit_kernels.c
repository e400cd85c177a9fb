/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of kit_functions.sh. They call the functions of okk.h that the kit has beyond the API
 * reference. */
#include "kit_checks.h"
#include "okk.h"

/** output = input + input */
static void kit_double(const void* args) {
    const Arguments* a = (const Arguments*)args;
    const dim4 shape = {1, 1, 1, kWords};
    okk_initialize();
    okk_set_id_node(NULL);
    okk_get_id_node(NULL);
    okk_enable_check_id_node();
    okk_disable_check_id_node();
    okk_gdma_32bit_cpy_S2L(0, a->input, &shape, NULL, NULL);
    okk_bdc_add(4096, 0, 0, &shape, NULL, NULL, NULL);
    okk_gdma_32bit_cpy_L2S(a->output, 4096, &shape, NULL, NULL);
    okk_poll();
}
OKKERNEL_FUNC_REGISTER(kit_double);

static fp32_or_addr_t number(float value) {
    fp32_or_addr_t operand;
    operand.is_addr = false;
    operand.context.val = value;
    return operand;
}

static fp32_or_addr_t tensor(local_addr_t addr) {
    fp32_or_addr_t operand;
    operand.is_addr = true;
    operand.context.addr = addr;
    return operand;
}

static x32_or_addr_t bits(unsigned int value) {
    x32_or_addr_t operand;
    operand.is_addr = false;
    operand.context.val.u32 = value;
    return operand;
}

static x32_or_addr_t words(local_addr_t addr) {
    x32_or_addr_t operand;
    operand.is_addr = true;
    operand.context.addr = addr;
    return operand;
}

/** The input is four tensors a, b, s, t of kWords words. Bit 0 of `mode` compares for equality.
 * Bits 1 to 4 make a, b, s, t numbers. Bit 5 makes the numbers of s and t 0. Bit 6 stores s alone.
 */
static void kit_select(const void* args) {
    const Arguments* a = (const Arguments*)args;
    const dim4 shape = {1, 1, 1, kWords};
    const int mode = a->mode;
    const fp32_or_addr_t src0 = (mode & 2) != 0 ? number(1.5f) : tensor(0);
    const fp32_or_addr_t src1 = (mode & 4) != 0 ? number(1.0f) : tensor(4096);
    const unsigned int selected = (mode & 32) != 0 ? 0 : 0xCAFE0001u;
    const x32_or_addr_t select0 = (mode & 8) != 0 ? bits(selected) : words(8192);
    const x32_or_addr_t select1 = (mode & 16) != 0 ? bits(selected) : words(12288);
    const local_addr_t dst = (mode & 64) != 0 ? 8192 : 16384;
    int i;
    okk_initialize();
    for (i = 0; i < 4; ++i) {
        okk_gdma_32bit_cpy_S2L((local_addr_t)(i * 4096), a->input + (unsigned)(i * kBytes), &shape,
                               NULL, NULL);
    }
    if ((mode & 1) != 0) {
        okk_bdc_equal_select(dst, &src0, &src1, &select0, &select1, &shape);
    } else {
        okk_bdc_greater_select(dst, &src0, &src1, &select0, &select1, &shape);
    }
    okk_gdma_32bit_cpy_L2S(a->output, dst, &shape, NULL, NULL);
    okk_poll();
}
OKKERNEL_FUNC_REGISTER(kit_select);

/** Input: kWords words of 2 int16 each, and kWords / 2 words of 4 uint8 each. `mode`: rshift. */
static void kit_product(const void* args) {
    const Arguments* a = (const Arguments*)args;
    const dim4 halves = {1, 1, 1, kWords};
    const dim4 bytes = {1, 1, 1, kWords};
    const dim4 shape = {2, 1, 1, kWords};
    okk_initialize();
    okk_gdma_32bit_cpy_S2L(0, a->input, &halves, NULL, NULL);
    okk_gdma_32bit_cpy_S2L(4096, a->input + kBytes, &bytes, NULL, NULL);
    okk_bdc_fixed_point_packed_s16_mul_u8_to_s16(8192, 0, 4096, 12288, 16384, 20480, &shape, NULL,
                                                 NULL, NULL, NULL, NULL, NULL, a->mode);
    okk_gdma_32bit_cpy_L2S(a->output, 8192, &halves, NULL, NULL);
    okk_poll();
}
OKKERNEL_FUNC_REGISTER(kit_product);
