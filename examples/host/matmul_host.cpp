// SPDX-License-Identifier: Apache-2.0
#include "host_support.h"

namespace {
struct MatmulArgs {
    unsigned long long output_addr, left_addr, right_addr, bias_addr;
    int rows, inner, cols;
};

std::vector<float> reference(const MatmulArgs& p, const std::vector<float>& left,
                             const std::vector<float>& right, const std::vector<float>& bias) {
    std::vector<float> output;
    for (int row = 0; row < p.rows; ++row) {
        std::vector<double> sums(bias.begin(), bias.end());
        for (int k = 0; k < p.inner; ++k) {
            const double factor = left[row * p.inner + k];
            for (int col = 0; col < p.cols; ++col) sums[col] += factor * right[k * p.cols + col];
        }
        for (double sum : sums) output.push_back(static_cast<float>(sum));
    }
    return output;
}
}  // namespace

int main(int argc, char** argv) {
    // The inner dimension needs two tiles on 64 lanes.
    MatmulArgs args{0, 0, 0, 0, 70, 2100, 150};
    const double tolerance = 1e-4;
    const std::vector<float> left = example::random_values(args.rows * args.inner, -1, 1, 1);
    const std::vector<float> right = example::random_values(args.inner * args.cols, -1, 1, 2);
    const std::vector<float> bias = example::random_values(args.cols, -5, 5, 3);
    const std::vector<float> expected = reference(args, left, right, bias);

    example::KernelCommand command(argc, argv, "matmul");
    command.out(expected).in(left).in(right).in(bias);
    command.arg(args.rows).arg(args.inner).arg(args.cols);
    if (command.requested()) return command.run(expected, tolerance);

    bm_handle_t handle;
    example::require(bm_dev_request(&handle, 0), "bm_dev_request");
    bm_device_mem_t left_mem = example::upload(handle, left);
    bm_device_mem_t right_mem = example::upload(handle, right);
    bm_device_mem_t bias_mem = example::upload(handle, bias);
    bm_device_mem_t output_mem = example::allocate<float>(handle, expected.size());
    args.output_addr = bm_mem_get_device_addr(output_mem);
    args.left_addr = bm_mem_get_device_addr(left_mem);
    args.right_addr = bm_mem_get_device_addr(right_mem);
    args.bias_addr = bm_mem_get_device_addr(bias_mem);
    example::launch(handle, "matmul", &args, sizeof args);
    const std::vector<float> output = example::download<float>(handle, output_mem);
    for (bm_device_mem_t memory : {left_mem, right_mem, bias_mem, output_mem}) {
        bm_free_device(handle, memory);
    }
    bm_dev_free(handle);
    return example::matches(output, expected, tolerance) ? 0 : 1;
}
