// SPDX-License-Identifier: Apache-2.0
#include <assert.h>
#include <stdio.h>

#include <vector>

#include "bmlib_runtime.h"

typedef struct {
    int count;
    float factor;
    unsigned long long x_addr;
    unsigned long long y_addr;
} __attribute__((packed)) param_t;

int main() {
    const int count = 1000;
    std::vector<float> x(count), y(count), result(count);
    for (int i = 0; i < count; ++i) {
        x[i] = static_cast<float>(i);
        y[i] = 1.0f;
    }
    bm_handle_t handle;
    assert(bm_dev_request(&handle, 0) == BM_SUCCESS);
    bm_device_mem_t x_dev, y_dev;
    const unsigned int bytes = count * sizeof(float);
    if (bm_malloc_device_byte(handle, &x_dev, bytes) != BM_SUCCESS) return 1;
    if (bm_malloc_device_byte(handle, &y_dev, bytes) != BM_SUCCESS) return 1;
    bm_memcpy_s2d(handle, x_dev, x.data());
    bm_memcpy_s2d(handle, y_dev, y.data());
    param_t param = {count, 2.0f, bm_mem_get_device_addr(x_dev), bm_mem_get_device_addr(y_dev)};
    if (okkernel_launch_sync(handle, "axpy", &param, sizeof param) != BM_SUCCESS) return 1;
    bm_memcpy_d2s(handle, result.data(), y_dev);
    bm_free_device(handle, x_dev);
    bm_free_device(handle, y_dev);
    bm_dev_free(handle);
    for (int i = 0; i < count; ++i) {
        if (result[i] != 2.0f * x[i] + 1.0f) return 1;
    }
    printf("axpy: right\n");
    return 0;
}
