/* SPDX-License-Identifier: Apache-2.0 */
/* okk.h in C99: signatures, types, enumerators and macros as documented, and a kernel that uses
 * them the way device code does. */
#include "tests/firmware/api_in_c.h"

#include "firmware/okk.h"

/* A pointer of another type than documented does not compile. */
int documented_functions_in_c(void) {
    int count = 0;
#define SIGNATURE(result, name, parameters)       \
    {                                             \
        result(*const pointer) parameters = name; \
        count += pointer != 0;                    \
    }
#include "tests/firmware/api_signatures.def"
#undef SIGNATURE
    return count;
}

/* Projects repeat this definition literally. */
/* clang-format off */
#define DIV_UP(a, b) (((a) - 1) / (b) + 1)
/* clang-format on */

void api_in_c_kernel(const void* args) {
    const api_in_c_arguments* arguments = (const api_in_c_arguments*)args;
    dim4 shape = {.n = 1, .c = okk_npu_num(), .h = 2, .w = 3};
    dim4 stride;
    x32 one = {.fp32 = 1.f};
    Padding padding = {0, 0, 0, 0};
    dim2 step = {1, 1};
    s8x4 bytes = {1, 2, 3, 4};
    (void)padding;
    (void)step;
    (void)bytes;
    okk_initialize();
    OKKERNEL_ASSERT(arguments->scale == 3.f);
    OKKERNEL_ASSERT(DIV_UP(shape.c, okk_npu_num()) == 1);
    okk_128_byte_aligned_stride_for_32bit(&stride, okk_start_npu_index(0), &shape);
    okk_bdc_32bit_set_C(0, one, &shape, 0);
    okk_bdc_mul_C(stride.c * (int)sizeof(float), 0, arguments->scale, &shape, 0, &stride);
    okk_gdma_32bit_cpy_L2S(arguments->output_addr, stride.c * (int)sizeof(float), &shape, 0, 0);
    okk_poll();
    OKKERNEL_LOG("scale %.1f\n", (double)arguments->scale);
    OKKERNEL_LOG("done\n");
}
OKKERNEL_FUNC_REGISTER(api_in_c_kernel);
