// SPDX-License-Identifier: Apache-2.0
#include <bmlib_runtime.h>

#include <cstdio>

struct Args {
    unsigned long long output, input;
};

int main() {
    float values[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    bm_handle_t handle = nullptr;
    if (bm_dev_request(&handle, 0) != BM_SUCCESS) return 1;
    bm_device_mem_t input, output;
    bm_malloc_device_byte(handle, &input, sizeof values);
    bm_malloc_device_byte(handle, &output, sizeof values);
    bm_memcpy_s2d(handle, input, values);
    Args args{bm_mem_get_device_addr(output), bm_mem_get_device_addr(input)};
    if (okkernel_launch_sync(handle, "double_it", &args, sizeof args) != BM_SUCCESS) return 1;
    bm_memcpy_d2s(handle, values, output);
    bm_free_device(handle, input);
    bm_free_device(handle, output);
    bm_dev_free(handle);
    for (int i = 0; i < 8; ++i) {
        if (values[i] != 2.0f * static_cast<float>(i + 1)) return 1;
    }
    std::puts("doubled");
    return 0;
}
