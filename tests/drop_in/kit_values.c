/* SPDX-License-Identifier: Apache-2.0 */
/* Values of the selections and of the product of kit_kernels.c. */
#include <string.h>

#include "kit_checks.h"

static unsigned int expected_select(const unsigned int* in, int i, int mode) {
    float a, b;
    unsigned int a_bits = in[i], b_bits = in[kWords + i];
    const unsigned int selected = (mode & 32) != 0 ? 0 : 0xCAFE0001u;
    const float one = 1.0f, more = 1.5f;
    int is_true;
    if ((mode & 2) != 0) memcpy(&a_bits, &more, sizeof a_bits);
    if ((mode & 4) != 0) memcpy(&b_bits, &one, sizeof b_bits);
    memcpy(&a, &a_bits, sizeof a);
    memcpy(&b, &b_bits, sizeof b);
    is_true = (mode & 1) != 0 ? a_bits == b_bits : a > b;
    if (is_true) return (mode & 8) != 0 ? selected : in[2 * kWords + i];
    return (mode & 16) != 0 ? selected : in[3 * kWords + i];
}

void test_select(void) {
    static const unsigned int kBits[8] = {0,           0x80000000u, 0x3F800000u, 0x3FC00000u,
                                          0x7FC00000u, 0x7F800000u, 0xFF800000u, 0xBF800000u};
    unsigned int in[4 * kWords], out[kWords];
    bm_device_mem_t input, output;
    int i, mode;
    for (i = 0; i < kWords; ++i) {
        in[i] = kBits[i % 8];
        in[kWords + i] = kBits[i / 8];
        in[2 * kWords + i] = i % 3 == 0 ? 0 : 0xFFFFFFFFu - (unsigned)i % 4;
        in[3 * kWords + i] = i % 5 == 0 ? 0xFFFFFFFFu : (unsigned)i % 2;
    }
    CHECK(bm_malloc_device_byte(handle, &input, sizeof in) == BM_SUCCESS);
    CHECK(bm_malloc_device_byte(handle, &output, sizeof out) == BM_SUCCESS);
    CHECK(bm_memcpy_s2d(handle, input, in) == BM_SUCCESS);
    for (mode = 0; mode < 64; ++mode) {
        CHECK(launch("kit_select", input, output, mode) == BM_SUCCESS);
        CHECK(bm_memcpy_d2s(handle, out, output) == BM_SUCCESS);
        for (i = 0; i < kWords; ++i) {
            if (out[i] == expected_select(in, i, mode)) continue;
            printf("select, mode %d, word %d: %x, not %x\n", mode, i, out[i],
                   expected_select(in, i, mode));
            exit(1);
        }
    }
    CHECK(launch("kit_select", input, output, 64) == BM_ERR_FAILURE && says("select0 or select1"));
    bm_free_device(handle, input);
    bm_free_device(handle, output);
}

void test_product(void) {
    short in[4 * kWords], out[2 * kWords];
    unsigned char* bytes = (unsigned char*)&in[2 * kWords];
    bm_device_mem_t input, output;
    int i;
    memset(in, 0, sizeof in);
    /* Item 0 is in the low half of a word, and item 1 in the high half. */
    for (i = 0; i < 2 * kWords; ++i) in[i] = (short)(i % 4 == 0 ? -32768 + i : 41 * i - 2000);
    for (i = 0; i < 4 * kWords; ++i) bytes[i] = (unsigned char)(255 - i % 200);
    CHECK(bm_malloc_device_byte(handle, &input, sizeof in) == BM_SUCCESS);
    CHECK(bm_malloc_device_byte(handle, &output, sizeof out) == BM_SUCCESS);
    CHECK(bm_memcpy_s2d(handle, input, in) == BM_SUCCESS);
    CHECK(launch("kit_product", input, output, 4) == BM_SUCCESS);
    CHECK(bm_memcpy_d2s(handle, out, output) == BM_SUCCESS);
    for (i = 0; i < 2 * kWords; ++i) {
        int product = (in[i] * bytes[4 * (i / 2) + i % 2] + 8) >> 4;
        product = product > 32767 ? 32767 : product < -32768 ? -32768 : product;
        if (out[i] != product) {
            printf("product %d: %d, not %d\n", i, out[i], product);
            exit(1);
        }
    }
    CHECK(launch("kit_product", input, output, 31) == BM_SUCCESS);
    CHECK(launch("kit_product", input, output, 32) == BM_ERR_FAILURE && says("rshift"));
    bm_free_device(handle, input);
    bm_free_device(handle, output);
}
