// SPDX-License-Identifier: Apache-2.0
#include "host_support.h"

namespace {
struct Conv2dArgs {
    unsigned long long output_addr, input_addr, weight_addr, bias_addr;
    int batch, in_c, out_c, height, width, kernel, stride, padding;
};

int output_size(int size, const Conv2dArgs& p) {
    return (size + 2 * p.padding - p.kernel) / p.stride + 1;
}

/// Reorders (out_c, in_c, kernel, kernel) to 2IC: (in_c pairs, out_c, kernel, kernel, 2). A missing
/// odd channel is zero.
std::vector<float> to_2ic(const Conv2dArgs& p, const std::vector<float>& weights) {
    const int taps = p.kernel * p.kernel;
    std::vector<float> packed((p.in_c + 1) / 2 * p.out_c * taps * 2);
    for (int oc = 0; oc < p.out_c; ++oc) {
        for (int ic = 0; ic < p.in_c; ++ic) {
            for (int tap = 0; tap < taps; ++tap) {
                packed[((ic / 2 * p.out_c + oc) * taps + tap) * 2 + ic % 2] =
                    weights[(oc * p.in_c + ic) * taps + tap];
            }
        }
    }
    return packed;
}

float output_at(const Conv2dArgs& p, const std::vector<float>& input,
                const std::vector<float>& weights, int n, int oc, int oh, int ow) {
    double sum = 0;
    for (int ic = 0; ic < p.in_c; ++ic) {
        for (int tap = 0; tap < p.kernel * p.kernel; ++tap) {
            const int h = oh * p.stride - p.padding + tap / p.kernel;
            const int w = ow * p.stride - p.padding + tap % p.kernel;
            if (h < 0 || h >= p.height || w < 0 || w >= p.width) continue;
            sum += static_cast<double>(input[((n * p.in_c + ic) * p.height + h) * p.width + w]) *
                   weights[(oc * p.in_c + ic) * p.kernel * p.kernel + tap];
        }
    }
    return static_cast<float>(sum);
}

std::vector<float> reference(const Conv2dArgs& p, const std::vector<float>& input,
                             const std::vector<float>& weights, const std::vector<float>& bias) {
    std::vector<float> output;
    for (int n = 0; n < p.batch; ++n) {
        for (int oc = 0; oc < p.out_c; ++oc) {
            for (int oh = 0; oh < output_size(p.height, p); ++oh) {
                for (int ow = 0; ow < output_size(p.width, p); ++ow) {
                    output.push_back(output_at(p, input, weights, n, oc, oh, ow) + bias[oc]);
                }
            }
        }
    }
    return output;
}
}  // namespace

int main(int argc, char** argv) {
    // An odd number of input channels, more output channels than lanes; several row bands with 8
    // lanes.
    Conv2dArgs args{0, 0, 0, 0, 2, 13, 70, 121, 30, 3, 2, 1};
    const double tolerance = 1e-4;
    const std::vector<float> input =
        example::random_values(args.batch * args.in_c * args.height * args.width, -1, 1, 1);
    const std::vector<float> weights =
        example::random_values(args.out_c * args.in_c * args.kernel * args.kernel, -1, 1, 2);
    const std::vector<float> bias = example::random_values(args.out_c, -1, 1, 3);
    const std::vector<float> packed = to_2ic(args, weights);
    const std::vector<float> expected = reference(args, input, weights, bias);

    example::KernelCommand command(argc, argv, "conv2d");
    command.out(expected).in(input).in(packed).in(bias);
    command.arg(args.batch).arg(args.in_c).arg(args.out_c).arg(args.height).arg(args.width);
    command.arg(args.kernel).arg(args.stride).arg(args.padding);
    if (command.requested()) return command.run(expected, tolerance);

    bm_handle_t handle;
    example::require(bm_dev_request(&handle, 0), "bm_dev_request");
    bm_device_mem_t input_mem = example::upload(handle, input);
    bm_device_mem_t weight_mem = example::upload(handle, packed);
    bm_device_mem_t bias_mem = example::upload(handle, bias);
    bm_device_mem_t output_mem = example::allocate<float>(handle, expected.size());
    args.output_addr = bm_mem_get_device_addr(output_mem);
    args.input_addr = bm_mem_get_device_addr(input_mem);
    args.weight_addr = bm_mem_get_device_addr(weight_mem);
    args.bias_addr = bm_mem_get_device_addr(bias_mem);
    example::launch(handle, "conv2d", &args, sizeof args);
    const std::vector<float> output = example::download<float>(handle, output_mem);
    for (bm_device_mem_t memory : {input_mem, weight_mem, bias_mem, output_mem}) {
        bm_free_device(handle, memory);
    }
    bm_dev_free(handle);
    return example::matches(output, expected, tolerance) ? 0 : 1;
}
