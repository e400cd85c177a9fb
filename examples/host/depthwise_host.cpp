// SPDX-License-Identifier: Apache-2.0
#include "host_support.h"

namespace {
struct DepthwiseArgs {
    unsigned long long output_addr, input_addr, weight_addr, bias_addr;
    int batch, channels, height, width, kernel, stride, padding;
};

float output_at(const DepthwiseArgs& p, const float* plane, const float* weights, int oh, int ow) {
    double sum = 0;
    for (int tap = 0; tap < p.kernel * p.kernel; ++tap) {
        const int h = oh * p.stride - p.padding + tap / p.kernel;
        const int w = ow * p.stride - p.padding + tap % p.kernel;
        if (h < 0 || h >= p.height || w < 0 || w >= p.width) continue;
        sum += static_cast<double>(plane[h * p.width + w]) * weights[tap];
    }
    return static_cast<float>(sum);
}

std::vector<float> reference(const DepthwiseArgs& p, const std::vector<float>& input,
                             const std::vector<float>& weights, const std::vector<float>& bias) {
    const int out_h = (p.height + 2 * p.padding - p.kernel) / p.stride + 1;
    const int out_w = (p.width + 2 * p.padding - p.kernel) / p.stride + 1;
    std::vector<float> output;
    for (int plane = 0; plane < p.batch * p.channels; ++plane) {
        const int c = plane % p.channels;
        for (int i = 0; i < out_h * out_w; ++i) {
            const float sum = output_at(p, &input[plane * p.height * p.width],
                                        &weights[c * p.kernel * p.kernel], i / out_w, i % out_w);
            output.push_back(std::max(0.0F, sum + bias[c]));
        }
    }
    return output;
}
}  // namespace

int main(int argc, char** argv) {
    DepthwiseArgs args{0, 0, 0, 0, 2, 100, 28, 30, 3, 1, 1};
    const double tolerance = 1e-5;
    const std::vector<float> input =
        example::random_values(args.batch * args.channels * args.height * args.width, -1, 1, 1);
    const std::vector<float> weights =
        example::random_values(args.channels * args.kernel * args.kernel, -1, 1, 2);
    const std::vector<float> bias = example::random_values(args.channels, -1, 1, 3);
    const std::vector<float> expected = reference(args, input, weights, bias);

    example::KernelCommand command(argc, argv, "depthwise");
    command.out(expected).in(input).in(weights).in(bias);
    command.arg(args.batch).arg(args.channels).arg(args.height).arg(args.width);
    command.arg(args.kernel).arg(args.stride).arg(args.padding);
    if (command.requested()) return command.run(expected, tolerance);

    bm_handle_t handle;
    example::require(bm_dev_request(&handle, 0), "bm_dev_request");
    bm_device_mem_t input_mem = example::upload(handle, input);
    bm_device_mem_t weight_mem = example::upload(handle, weights);
    bm_device_mem_t bias_mem = example::upload(handle, bias);
    bm_device_mem_t output_mem = example::allocate<float>(handle, expected.size());
    args.output_addr = bm_mem_get_device_addr(output_mem);
    args.input_addr = bm_mem_get_device_addr(input_mem);
    args.weight_addr = bm_mem_get_device_addr(weight_mem);
    args.bias_addr = bm_mem_get_device_addr(bias_mem);
    example::launch(handle, "depthwise", &args, sizeof args);
    const std::vector<float> output = example::download<float>(handle, output_mem);
    for (bm_device_mem_t memory : {input_mem, weight_mem, bias_mem, output_mem}) {
        bm_free_device(handle, memory);
    }
    bm_dev_free(handle);
    return example::matches(output, expected, tolerance) ? 0 : 1;
}
