// SPDX-License-Identifier: Apache-2.0
#include "host_support.h"

namespace {
struct PoolArgs {
    unsigned long long output_addr, input_addr;
    int planes, height, width, window, stride, padding;
};

float output_at(const PoolArgs& p, const float* plane, int oh, int ow) {
    float largest = -3.4028234663852886e38F;
    for (int tap = 0; tap < p.window * p.window; ++tap) {
        const int h = oh * p.stride - p.padding + tap / p.window;
        const int w = ow * p.stride - p.padding + tap % p.window;
        if (h < 0 || h >= p.height || w < 0 || w >= p.width) continue;
        largest = std::max(largest, plane[h * p.width + w]);
    }
    return largest;
}

std::vector<float> reference(const PoolArgs& p, const std::vector<float>& input) {
    const int out_h = (p.height + 2 * p.padding - p.window) / p.stride + 1;
    const int out_w = (p.width + 2 * p.padding - p.window) / p.stride + 1;
    std::vector<float> output;
    for (int plane = 0; plane < p.planes; ++plane) {
        for (int i = 0; i < out_h * out_w; ++i) {
            output.push_back(
                output_at(p, &input[plane * p.height * p.width], i / out_w, i % out_w));
        }
    }
    return output;
}
}  // namespace

int main(int argc, char** argv) {
    PoolArgs args{0, 0, 2 * 75, 56, 50, 3, 2, 1};
    const double tolerance = 0;
    const std::vector<float> input =
        example::random_values(args.planes * args.height * args.width, -1, 1);
    const std::vector<float> expected = reference(args, input);

    example::KernelCommand command(argc, argv, "max_pool");
    command.out(expected).in(input).arg(args.planes).arg(args.height).arg(args.width);
    command.arg(args.window).arg(args.stride).arg(args.padding);
    if (command.requested()) return command.run(expected, tolerance);

    bm_handle_t handle;
    example::require(bm_dev_request(&handle, 0), "bm_dev_request");
    bm_device_mem_t input_mem = example::upload(handle, input);
    bm_device_mem_t output_mem = example::allocate<float>(handle, expected.size());
    args.output_addr = bm_mem_get_device_addr(output_mem);
    args.input_addr = bm_mem_get_device_addr(input_mem);
    example::launch(handle, "max_pool", &args, sizeof args);
    const std::vector<float> output = example::download<float>(handle, output_mem);
    bm_free_device(handle, output_mem);
    bm_free_device(handle, input_mem);
    bm_dev_free(handle);
    return example::matches(output, expected, tolerance) ? 0 : 1;
}
