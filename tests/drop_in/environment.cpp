// SPDX-License-Identifier: Apache-2.0
// A host program for host_environment.sh: launches the kernels that are named on its command line
// and asserts, as many programs do, that every call succeeds.
#include <stdio.h>
#include <stdlib.h>

#include "bmlib_runtime.h"
#include "okk.h"

namespace {

void right(const void*) {
    okk_initialize();
    const dim4 shape = {1, 64, 1, 32};
    x32 one;
    one.fp32 = 1.0f;
    okk_bdc_32bit_set_C(0, one, &shape, NULL);
    okk_poll();
}
OKKERNEL_FUNC_REGISTER(right)

void careless(const void*) {
    okk_initialize();
    const dim4 shape = {1, 64, 1, 32};
    okk_bdc_neg(0, 8192, &shape, NULL, NULL);  // of what nobody has written
    okk_gdma_32bit_cpy_L2S(okk_l2_sram_start_addr(), 0, &shape, NULL, NULL);
    okk_poll();
    (void)okk_l2_sram_addr(okk_l2_sram_start_addr());  // and looks at what comes of it
}
OKKERNEL_FUNC_REGISTER(careless)

void faulty(const void*) {
    okk_initialize();
    const dim4 shape = {1, 64, 1, 32};
    okk_bdc_sqrt(0, 4, &shape);
    okk_poll();
}
OKKERNEL_FUNC_REGISTER(faulty)

void check(bm_status_t status) {
    if (status == BM_SUCCESS) return;
    printf("a call failed\n");
    exit(1);
}

}  // namespace

int main(int count, char** kernels) {
    bm_handle_t handle;
    check(bm_dev_request(&handle, 0));
    for (int i = 1; i < count; ++i) check(okkernel_launch_sync(handle, kernels[i], NULL, 0));
    bm_dev_free(handle);
    printf("done\n");
    return 0;
}
