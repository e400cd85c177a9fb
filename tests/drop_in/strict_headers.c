/* SPDX-License-Identifier: Apache-2.0 */
/* All headers of kernels and host programs, and a kernel with an optional definition of DIV_UP.
 * strict_headers.sh compiles this file as C and as C++. */
#include "bm_atomic.h"
#include "bmlib_runtime.h"
#include "okk.h"
#include "okk_access.h"
#include "okk_custom.h"
#include "okk_features.h"
#include "okk_param.h"
/* clang-format off */
#ifdef AS_THE_REFERENCE
#define DIV_UP(a, b) (((a) - 1) / (b) + 1)
#endif
#ifdef AS_FORMATTED
#define DIV_UP(a, b) (((a)-1) / (b) + 1)
#endif
/* clang-format on */

void strict_kernel(const void* args);
void strict_kernel(const void* args) {
    (void)args;
    okk_initialize();
    OKKERNEL_ASSERT(DIV_UP(5, 2) == 3);
    OKKERNEL_LOG("%d\n", okk_npu_num());
    okk_poll();
}
OKKERNEL_FUNC_REGISTER(strict_kernel);
