// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <vector>

#include "bmlib_runtime.h"

typedef struct {
    unsigned long long output_addr;
    unsigned long long left_addr;
    unsigned long long right_addr;
    int N, left_C, right_C, H, W;
} __attribute__((packed)) param_t;

static void check(bm_status_t status, const char* what) {
    if (status == BM_SUCCESS) return;
    std::cerr << what << ": status " << status << std::endl;
    exit(1);
}

static bm_device_mem_t make(bm_handle_t handle, std::vector<float>& values) {
    bm_device_mem_t mem;
    check(bm_malloc_device_byte(handle, &mem, values.size() * sizeof(float)), "malloc");
    check(bm_memcpy_s2d(handle, mem, values.data()), "s2d");
    return mem;
}

int main() {
    const int N = 3, left_C = 5, right_C = 11, H = 6, W = 7, plane = H * W;
    bm_handle_t handle;
    check(bm_dev_request(&handle, 0), "bm_dev_request");
    std::vector<float> left(N * left_C * plane), right(N * right_C * plane);
    std::vector<float> output(left.size() + right.size());
    for (size_t i = 0; i < left.size(); ++i) left[i] = (float)i;
    for (size_t i = 0; i < right.size(); ++i) right[i] = -(float)i - 1.f;
    bm_device_mem_t left_mem = make(handle, left), right_mem = make(handle, right);
    bm_device_mem_t output_mem = make(handle, output);
    param_t param = {bm_mem_get_device_addr(output_mem),
                     bm_mem_get_device_addr(left_mem),
                     bm_mem_get_device_addr(right_mem),
                     N,
                     left_C,
                     right_C,
                     H,
                     W};
    const auto start = std::chrono::steady_clock::now();
    check(okkernel_launch_sync(handle, "concat", &param, sizeof(param)), "concat");
    const std::chrono::duration<double, std::micro> elapsed =
        std::chrono::steady_clock::now() - start;
    check(bm_memcpy_d2s(handle, output.data(), output_mem), "d2s");
    bool right_result = true;
    for (int n = 0; n < N; ++n) {
        for (int c = 0; c < left_C + right_C; ++c) {
            const float* expected = c < left_C ? &left[(n * left_C + c) * plane]
                                               : &right[(n * right_C + c - left_C) * plane];
            const float* got = &output[(n * (left_C + right_C) + c) * plane];
            for (int i = 0; i < plane; ++i) right_result = right_result && got[i] == expected[i];
        }
    }
    printf("concat: %s, elapsed %.0f us, simulated %.3f us\n", right_result ? "passed" : "FAILED",
           elapsed.count(), okksim_last_launch_us(handle));
    bm_free_device(handle, left_mem);
    bm_free_device(handle, right_mem);
    bm_free_device(handle, output_mem);
    bm_dev_free(handle);
    return right_result ? 0 : 1;
}
