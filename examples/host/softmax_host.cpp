// SPDX-License-Identifier: Apache-2.0
#include "host_support.h"

namespace {
struct SoftmaxArgs {
    unsigned long long output_addr, input_addr;
    int rows, cols;
};

std::vector<float> reference(const std::vector<float>& input, int rows, int cols) {
    std::vector<float> output(input.size());
    for (int r = 0; r < rows; ++r) {
        const float* x = &input[r * cols];
        const float largest = *std::max_element(x, x + cols);
        double sum = 0;
        for (int c = 0; c < cols; ++c) sum += std::exp(static_cast<double>(x[c]) - largest);
        for (int c = 0; c < cols; ++c) {
            output[r * cols + c] =
                static_cast<float>(std::exp(static_cast<double>(x[c]) - largest) / sum);
        }
    }
    return output;
}
}  // namespace

int main(int argc, char** argv) {
    const int rows = 100, cols = 1000;
    const double tolerance = 1e-6;
    const std::vector<float> input = example::random_values(rows * cols, -20, 20);
    const std::vector<float> expected = reference(input, rows, cols);

    example::KernelCommand command(argc, argv, "softmax");
    command.out(expected).in(input).arg(rows).arg(cols);
    if (command.requested()) return command.run(expected, tolerance);

    bm_handle_t handle;
    example::require(bm_dev_request(&handle, 0), "bm_dev_request");
    bm_device_mem_t input_mem = example::upload(handle, input);
    bm_device_mem_t output_mem = example::allocate<float>(handle, expected.size());
    const SoftmaxArgs args{bm_mem_get_device_addr(output_mem), bm_mem_get_device_addr(input_mem),
                           rows, cols};
    example::launch(handle, "softmax", &args, sizeof args);
    const std::vector<float> output = example::download<float>(handle, output_mem);
    bm_free_device(handle, output_mem);
    bm_free_device(handle, input_mem);
    bm_dev_free(handle);
    return example::matches(output, expected, tolerance) ? 0 : 1;
}
