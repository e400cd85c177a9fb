// SPDX-License-Identifier: Apache-2.0
#include "host_support.h"

namespace {
struct AxpyArgs {
    unsigned long long output_addr, x_addr, y_addr;
    int count;
    float scale;
};
}  // namespace

int main(int argc, char** argv) {
    const int count = 400003;  // several tiles, and a rest that does not fill a row of lanes
    const float scale = 1.5F;
    const std::vector<float> x = example::random_values(count, -10, 10, 1);
    const std::vector<float> y = example::random_values(count, -10, 10, 2);
    std::vector<float> expected(count);
    for (int i = 0; i < count; ++i) expected[i] = scale * x[i] + y[i];

    example::KernelCommand command(argc, argv, "axpy_ping_pong");
    command.out(expected).in(x).in(y).arg(count).arg(scale);
    if (command.requested()) return command.run(expected, 0);

    bm_handle_t handle;
    example::require(bm_dev_request(&handle, 0), "bm_dev_request");
    bm_device_mem_t x_mem = example::upload(handle, x);
    bm_device_mem_t y_mem = example::upload(handle, y);
    bm_device_mem_t output_mem = example::allocate<float>(handle, count);
    const AxpyArgs args{bm_mem_get_device_addr(output_mem), bm_mem_get_device_addr(x_mem),
                        bm_mem_get_device_addr(y_mem), count, scale};
    example::launch(handle, "axpy_ping_pong", &args, sizeof args);
    const std::vector<float> output = example::download<float>(handle, output_mem);
    bm_free_device(handle, output_mem);
    bm_free_device(handle, y_mem);
    bm_free_device(handle, x_mem);
    bm_dev_free(handle);
    return example::matches(output, expected, 0) ? 0 : 1;
}
