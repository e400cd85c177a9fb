// SPDX-License-Identifier: Apache-2.0
#include "host_support.h"

namespace {
struct DequantiseArgs {
    unsigned long long output_addr, input_addr;
    int batch, channels, pixels;
    float scale;
};
}  // namespace

int main(int argc, char** argv) {
    DequantiseArgs args{0, 0, 8, 70, 3000, 0.05F};
    const int elements = args.channels * args.pixels;
    std::vector<std::int8_t> input(args.batch * elements);
    for (std::size_t i = 0; i < input.size(); ++i) {
        input[i] = static_cast<std::int8_t>(i * 37 % 256);  // all values, in a mixed order
    }
    std::vector<float> expected(input.size());
    for (int n = 0; n < args.batch; ++n) {
        for (int i = 0; i < elements; ++i) {
            const std::int8_t byte = input[(n / 4 * elements + i) * 4 + n % 4];
            expected[n * elements + i] = static_cast<float>(byte) * args.scale;
        }
    }

    example::KernelCommand command(argc, argv, "dequantise");
    command.out(expected).in(input).arg(args.batch).arg(args.channels).arg(args.pixels);
    command.arg(args.scale);
    if (command.requested()) return command.run(expected, 0);

    bm_handle_t handle;
    example::require(bm_dev_request(&handle, 0), "bm_dev_request");
    bm_device_mem_t input_mem = example::upload(handle, input);
    bm_device_mem_t output_mem = example::allocate<float>(handle, expected.size());
    args.output_addr = bm_mem_get_device_addr(output_mem);
    args.input_addr = bm_mem_get_device_addr(input_mem);
    example::launch(handle, "dequantise", &args, sizeof args);
    const std::vector<float> output = example::download<float>(handle, output_mem);
    bm_free_device(handle, output_mem);
    bm_free_device(handle, input_mem);
    bm_dev_free(handle);
    return example::matches(output, expected, 0) ? 0 : 1;
}
