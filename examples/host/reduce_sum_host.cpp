// SPDX-License-Identifier: Apache-2.0
#include "host_support.h"

namespace {
struct ReduceSumArgs {
    unsigned long long output_addr, input_addr;
    int count;
};
}  // namespace

int main(int argc, char** argv) {
    const int count = 200007;  // does not fill the last row
    const double tolerance = 1e-5;
    const std::vector<float> input = example::random_values(count, -1, 3);
    double sum = 0;
    for (const float value : input) sum += value;
    const std::vector<float> expected{static_cast<float>(sum)};

    example::KernelCommand command(argc, argv, "reduce_sum");
    command.out(expected).in(input).arg(count);
    if (command.requested()) return command.run(expected, tolerance);

    bm_handle_t handle;
    example::require(bm_dev_request(&handle, 0), "bm_dev_request");
    bm_device_mem_t input_mem = example::upload(handle, input);
    bm_device_mem_t output_mem = example::allocate<float>(handle, 1);
    const ReduceSumArgs args{bm_mem_get_device_addr(output_mem), bm_mem_get_device_addr(input_mem),
                             count};
    example::launch(handle, "reduce_sum", &args, sizeof args);
    const std::vector<float> output = example::download<float>(handle, output_mem);
    bm_free_device(handle, output_mem);
    bm_free_device(handle, input_mem);
    bm_dev_free(handle);
    return example::matches(output, expected, tolerance) ? 0 : 1;
}
