// SPDX-License-Identifier: Apache-2.0
#include <sys/time.h>

#include <cassert>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "bmlib_runtime.h"

#define CHECK(call)                                            \
    do {                                                       \
        bm_status_t status = (call);                           \
        if (status != BM_SUCCESS) {                            \
            fprintf(stderr, "%s: status %d\n", #call, status); \
            exit(1);                                           \
        }                                                      \
    } while (0)

typedef struct {
    unsigned long long output_addr;
    unsigned long long input_addr;
    int N, C, H, W;
} __attribute__((packed)) param_t;

static int run_case(bm_handle_t handle, int N, int C, int H, int W) {
    const size_t length = (size_t)N * C * H * W;
    std::vector<float> input(length), output(length);
    for (size_t i = 0; i < length; ++i) input[i] = (float)(rand() % 2000 - 1000) / 100.f;
    bm_device_mem_t input_mem, output_mem;
    CHECK(bm_malloc_device_byte(handle, &input_mem, length * sizeof(float)));
    CHECK(bm_malloc_device_byte(handle, &output_mem, length * sizeof(float)));
    CHECK(bm_memcpy_s2d(handle, input_mem, input.data()));
    param_t param = {
        bm_mem_get_device_addr(output_mem), bm_mem_get_device_addr(input_mem), N, C, H, W};
    struct timeval start, end;
    gettimeofday(&start, NULL);
    CHECK(okkernel_launch_sync(handle, "hswish", &param, sizeof(param)));
    gettimeofday(&end, NULL);
    CHECK(bm_memcpy_d2s(handle, output.data(), output_mem));
    bm_free_device(handle, input_mem);
    bm_free_device(handle, output_mem);
    int wrong = 0;
    for (size_t i = 0; i < length; ++i) {
        const float x = input[i];
        const float expected = x * fminf(fmaxf(x + 3.f, 0.f), 6.f) / 6.f;
        if (!(fabsf(output[i] - expected) <= 1e-5f * fmaxf(1.f, fabsf(expected)))) ++wrong;
    }
    printf("hswish %dx%dx%dx%d: %s, elapsed %ld us, simulated %.3f us\n", N, C, H, W,
           wrong ? "FAILED" : "passed",
           (end.tv_sec - start.tv_sec) * 1000000L + (end.tv_usec - start.tv_usec),
           okksim_last_launch_us(handle));
    return wrong ? 1 : 0;
}

int main() {
    bm_handle_t handle;
    CHECK(bm_dev_request(&handle, 0));
    CHECK(okkernel_load_firmware(handle, "firmware_tcm.bin", "firmware_ddr.bin"));
    int failed = 0;
    failed += run_case(handle, 1, 16, 112, 112);
    failed += run_case(handle, 4, 100, 7, 9);
    failed += run_case(handle, 1, 1, 1, 3);
    bm_dev_free(handle);
    return failed ? 1 : 0;
}
