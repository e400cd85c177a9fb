// SPDX-License-Identifier: Apache-2.0
#include "host_support.h"

namespace {
struct GatherArgs {
    unsigned long long output_addr, table_addr, indices_addr;
    int count, table_rows, cols;
};
}  // namespace

int main(int argc, char** argv) {
    GatherArgs args{0, 0, 0, 200, 1000, 256};
    const std::vector<float> table = example::random_values(args.table_rows * args.cols, -1, 1);
    std::vector<std::int32_t> indices(args.count);
    std::vector<float> expected;
    for (int i = 0; i < args.count; ++i) {
        indices[i] = i * 7919 % args.table_rows;
        const auto row = table.begin() + indices[i] * args.cols;
        expected.insert(expected.end(), row, row + args.cols);
    }

    example::KernelCommand command(argc, argv, "gather");
    command.out(expected).in(table).in(indices);
    command.arg(args.count).arg(args.table_rows).arg(args.cols);
    if (command.requested()) return command.run(expected, 0);

    bm_handle_t handle;
    example::require(bm_dev_request(&handle, 0), "bm_dev_request");
    bm_device_mem_t table_mem = example::upload(handle, table);
    bm_device_mem_t indices_mem = example::upload(handle, indices);
    bm_device_mem_t output_mem = example::allocate<float>(handle, expected.size());
    args.output_addr = bm_mem_get_device_addr(output_mem);
    args.table_addr = bm_mem_get_device_addr(table_mem);
    args.indices_addr = bm_mem_get_device_addr(indices_mem);
    example::launch(handle, "gather", &args, sizeof args);
    const std::vector<float> output = example::download<float>(handle, output_mem);
    for (bm_device_mem_t memory : {table_mem, indices_mem, output_mem}) {
        bm_free_device(handle, memory);
    }
    bm_dev_free(handle);
    return example::matches(output, expected, 0) ? 0 : 1;
}
