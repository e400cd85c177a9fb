// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>

#include <vector>

#include "bmlib_runtime.h"
#include "okk_param.h"

typedef struct {
    int rows, inner, cols;
    unsigned long long left_addr, right_addr, output_addr;
} __attribute__((packed)) param_t;

int main() {
    const int rows = 3, inner = 10, cols = 70;
    std::vector<float> left(rows * inner, 2.0f), right(inner * cols), output(rows * cols);
    for (int i = 0; i < inner * cols; ++i) right[i] = static_cast<float>(i % cols);
    bm_handle_t handle;
    if (bm_dev_request(&handle, 0) != BM_SUCCESS) return 1;
    bm_device_mem_t left_dev, right_dev, output_dev;
    bm_malloc_device_byte(handle, &left_dev, rows * inner * 4);
    bm_malloc_device_byte(handle, &right_dev, inner * cols * 4);
    bm_malloc_device_byte(handle, &output_dev, rows * cols * 4);
    bm_memcpy_s2d(handle, left_dev, left.data());
    bm_memcpy_s2d(handle, right_dev, right.data());
    param_t param = {rows,
                     inner,
                     cols,
                     bm_mem_get_device_addr(left_dev),
                     bm_mem_get_device_addr(right_dev),
                     bm_mem_get_device_addr(output_dev)};
    if (okkernel_launch_sync(handle, "product", &param, sizeof param) != BM_SUCCESS) return 1;
    bm_memcpy_d2s(handle, output.data(), output_dev);
    bm_dev_free(handle);
    for (int i = 0; i < rows * cols; ++i) {
        if (output[i] != 2.0f * inner * static_cast<float>(i % cols)) return 1;
    }
    printf("product: right\n");
    return 0;
}
