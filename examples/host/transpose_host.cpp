// SPDX-License-Identifier: Apache-2.0
#include "host_support.h"

namespace {
struct TransposeArgs {
    unsigned long long output_addr, input_addr;
    int batch, channels, height, width;
};
}  // namespace

int main(int argc, char** argv) {
    TransposeArgs args{0, 0, 2, 70, 17, 19};
    const int pixels = args.height * args.width;
    const std::vector<float> input =
        example::random_values(args.batch * args.channels * pixels, -1, 1);
    std::vector<float> expected;
    for (int n = 0; n < args.batch; ++n) {
        for (int pixel = 0; pixel < pixels; ++pixel) {
            for (int c = 0; c < args.channels; ++c) {
                expected.push_back(input[(n * args.channels + c) * pixels + pixel]);
            }
        }
    }

    example::KernelCommand command(argc, argv, "transpose");
    command.out(expected).in(input);
    command.arg(args.batch).arg(args.channels).arg(args.height).arg(args.width);
    if (command.requested()) return command.run(expected, 0);

    bm_handle_t handle;
    example::require(bm_dev_request(&handle, 0), "bm_dev_request");
    bm_device_mem_t input_mem = example::upload(handle, input);
    bm_device_mem_t output_mem = example::allocate<float>(handle, expected.size());
    args.output_addr = bm_mem_get_device_addr(output_mem);
    args.input_addr = bm_mem_get_device_addr(input_mem);
    example::launch(handle, "transpose", &args, sizeof args);
    const std::vector<float> output = example::download<float>(handle, output_mem);
    bm_free_device(handle, output_mem);
    bm_free_device(handle, input_mem);
    bm_dev_free(handle);
    return example::matches(output, expected, 0) ? 0 : 1;
}
