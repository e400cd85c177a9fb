// SPDX-License-Identifier: Apache-2.0
#include "host_support.h"

namespace {
struct L2CentreArgs {
    unsigned long long output_addr, input_addr;
    int channels, height, width;
};

std::vector<float> reference(const L2CentreArgs& p, const std::vector<float>& input) {
    const int pixels = p.height * p.width;
    std::vector<float> output(input.size());
    for (int c = 0; c < p.channels; ++c) {
        double mean = 0;
        for (int i = 0; i < pixels; ++i)
            mean += input[c * pixels + i] / static_cast<double>(pixels);
        for (int i = 0; i < pixels; ++i) {
            output[c * pixels + i] = static_cast<float>(input[c * pixels + i] - mean);
        }
    }
    return output;
}
}  // namespace

int main(int argc, char** argv) {
    L2CentreArgs args{0, 0, 90, 40, 50};
    const double tolerance = 1e-5;
    const std::vector<float> input =
        example::random_values(args.channels * args.height * args.width, 2, 6);
    const std::vector<float> expected = reference(args, input);

    example::KernelCommand command(argc, argv, "l2_centre");
    command.out(expected).in(input).arg(args.channels).arg(args.height).arg(args.width);
    if (command.requested()) return command.run(expected, tolerance);

    bm_handle_t handle;
    example::require(bm_dev_request(&handle, 0), "bm_dev_request");
    bm_device_mem_t input_mem = example::upload(handle, input);
    bm_device_mem_t output_mem = example::allocate<float>(handle, expected.size());
    args.output_addr = bm_mem_get_device_addr(output_mem);
    args.input_addr = bm_mem_get_device_addr(input_mem);
    example::launch(handle, "l2_channel_means", &args, sizeof args);
    // A second kernel, queued twice: the means stay in L2-SRAM between launches.
    const double before = okksim_simulated_us(handle);
    for (int i = 0; i < 2; ++i) {
        example::require(okkernel_launch_async(handle, "l2_subtract_means", &args, sizeof args),
                         "l2_subtract_means");
    }
    example::require(bm_thread_sync(handle), "bm_thread_sync");
    std::printf("l2_subtract_means: two launches, simulated %.3f us\n",
                okksim_simulated_us(handle) - before);
    const std::vector<float> output = example::download<float>(handle, output_mem);
    bm_free_device(handle, output_mem);
    bm_free_device(handle, input_mem);
    bm_dev_free(handle);
    return example::matches(output, expected, tolerance) ? 0 : 1;
}
