// SPDX-License-Identifier: Apache-2.0
#include "host_support.h"

namespace {
struct Int8ResidualArgs {
    unsigned long long output_addr, a_addr, b_addr;
    int words;
};
}  // namespace

int main(int argc, char** argv) {
    const int words = 150001;
    std::vector<std::int8_t> a(words * 4), b(words * 4), expected(words * 4);
    for (int i = 0; i < words * 4; ++i) {
        a[i] = static_cast<std::int8_t>(i % 256);  // with b, all pairs of values
        b[i] = static_cast<std::int8_t>(i / 256 % 256);
        expected[i] = static_cast<std::int8_t>(std::max(0, (a[i] + b[i] + 1) >> 1));
    }

    example::KernelCommand command(argc, argv, "int8_residual");
    command.out(expected).in(a).in(b).arg(words);
    if (command.requested()) return command.run(expected, 0);

    bm_handle_t handle;
    example::require(bm_dev_request(&handle, 0), "bm_dev_request");
    bm_device_mem_t a_mem = example::upload(handle, a);
    bm_device_mem_t b_mem = example::upload(handle, b);
    bm_device_mem_t output_mem = example::allocate<std::int8_t>(handle, expected.size());
    const Int8ResidualArgs args{bm_mem_get_device_addr(output_mem), bm_mem_get_device_addr(a_mem),
                                bm_mem_get_device_addr(b_mem), words};
    example::launch(handle, "int8_residual", &args, sizeof args);
    const std::vector<std::int8_t> output = example::download<std::int8_t>(handle, output_mem);
    for (bm_device_mem_t memory : {a_mem, b_mem, output_mem}) bm_free_device(handle, memory);
    bm_dev_free(handle);
    return example::matches(output, expected, 0) ? 0 : 1;
}
