// SPDX-License-Identifier: Apache-2.0
#include "host_support.h"

namespace {
struct LayerNormArgs {
    unsigned long long output_addr, input_addr, gamma_addr, beta_addr;
    int rows, cols;
    float epsilon;
};

std::vector<float> reference(const std::vector<float>& input, const std::vector<float>& gamma,
                             const std::vector<float>& beta, int rows, float epsilon) {
    const int cols = static_cast<int>(gamma.size());
    std::vector<float> output(input.size());
    for (int r = 0; r < rows; ++r) {
        const float* x = &input[r * cols];
        double mean = 0, variance = 0;
        for (int c = 0; c < cols; ++c) mean += x[c] / static_cast<double>(cols);
        for (int c = 0; c < cols; ++c) variance += (x[c] - mean) * (x[c] - mean) / cols;
        for (int c = 0; c < cols; ++c) {
            const double normal = (x[c] - mean) / std::sqrt(variance + epsilon);
            output[r * cols + c] = static_cast<float>(normal * gamma[c] + beta[c]);
        }
    }
    return output;
}
}  // namespace

int main(int argc, char** argv) {
    const int rows = 150, cols = 768;
    const float epsilon = 1e-5F;
    const double tolerance = 2e-5;
    const std::vector<float> input = example::random_values(rows * cols, -3, 5, 1);
    const std::vector<float> gamma = example::random_values(cols, 0.5F, 1.5F, 2);
    const std::vector<float> beta = example::random_values(cols, -1, 1, 3);
    const std::vector<float> expected = reference(input, gamma, beta, rows, epsilon);

    example::KernelCommand command(argc, argv, "layer_norm");
    command.out(expected).in(input).in(gamma).in(beta).arg(rows).arg(cols).arg(epsilon);
    if (command.requested()) return command.run(expected, tolerance);

    bm_handle_t handle;
    example::require(bm_dev_request(&handle, 0), "bm_dev_request");
    bm_device_mem_t input_mem = example::upload(handle, input);
    bm_device_mem_t gamma_mem = example::upload(handle, gamma);
    bm_device_mem_t beta_mem = example::upload(handle, beta);
    bm_device_mem_t output_mem = example::allocate<float>(handle, expected.size());
    const LayerNormArgs args{bm_mem_get_device_addr(output_mem),
                             bm_mem_get_device_addr(input_mem),
                             bm_mem_get_device_addr(gamma_mem),
                             bm_mem_get_device_addr(beta_mem),
                             rows,
                             cols,
                             epsilon};
    example::launch(handle, "layer_norm", &args, sizeof args);
    const std::vector<float> output = example::download<float>(handle, output_mem);
    for (bm_device_mem_t memory : {input_mem, gamma_mem, beta_mem, output_mem}) {
        bm_free_device(handle, memory);
    }
    bm_dev_free(handle);
    return example::matches(output, expected, tolerance) ? 0 : 1;
}
