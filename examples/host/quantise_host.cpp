// SPDX-License-Identifier: Apache-2.0
#include "host_support.h"

namespace {
struct QuantiseArgs {
    unsigned long long output_addr, input_addr;
    int batch, channels, pixels;
    float inverse_scale;
};

/// 4N mode: element (n, i) is byte n % 4 of word i of group n / 4.
std::vector<std::int8_t> reference(const QuantiseArgs& p, const std::vector<float>& input) {
    const int elements = p.channels * p.pixels;
    std::vector<std::int8_t> output(input.size());
    for (int n = 0; n < p.batch; ++n) {
        for (int i = 0; i < elements; ++i) {
            const float scaled = input[n * elements + i] * p.inverse_scale;
            const float moved = std::min(std::max(scaled, -128.0F), 127.0F) + 128.5F;
            output[(n / 4 * elements + i) * 4 + n % 4] =
                static_cast<std::int8_t>(static_cast<int>(moved) - 128);
        }
    }
    return output;
}
}  // namespace

int main(int argc, char** argv) {
    QuantiseArgs args{0, 0, 8, 70, 300, 1 / 0.05F};
    const std::vector<float> input =
        example::random_values(args.batch * args.channels * args.pixels, -8, 8);  // some saturate
    const std::vector<std::int8_t> expected = reference(args, input);

    example::KernelCommand command(argc, argv, "quantise");
    command.out(expected).in(input).arg(args.batch).arg(args.channels).arg(args.pixels);
    command.arg(args.inverse_scale);
    if (command.requested()) return command.run(expected, 0);

    bm_handle_t handle;
    example::require(bm_dev_request(&handle, 0), "bm_dev_request");
    bm_device_mem_t input_mem = example::upload(handle, input);
    bm_device_mem_t output_mem = example::allocate<std::int8_t>(handle, expected.size());
    args.output_addr = bm_mem_get_device_addr(output_mem);
    args.input_addr = bm_mem_get_device_addr(input_mem);
    example::launch(handle, "quantise", &args, sizeof args);
    const std::vector<std::int8_t> output = example::download<std::int8_t>(handle, output_mem);
    bm_free_device(handle, output_mem);
    bm_free_device(handle, input_mem);
    bm_dev_free(handle);
    return example::matches(output, expected, 0) ? 0 : 1;
}
