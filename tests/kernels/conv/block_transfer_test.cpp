// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/block_transfer.h"

#include <cstring>

#include "tests/support/catch.h"
#include "tests/support/kernel_fixture.h"

namespace okksim::kernels::conv {
namespace {

constexpr std::uint64_t kSource = 0x100000000, kTarget = 0x100080000;

/// Copies images of row-major activations [N, pixels, C] through local memory, where they are
/// stored channel by channel. Returns the number of GDMA commands.
std::uint64_t commands_of_images(int images, int pixels, int channels) {
    tests::KernelMachine machine(8, 256 * 1024);
    auto& memory = machine.port().system_memory();
    const auto count = static_cast<std::size_t>(images * pixels * channels);
    std::byte* from = memory.pointer(kSource, 4 * count);
    std::byte* to = memory.pointer(kTarget, 4 * count);
    for (std::uint32_t i = 0; i < count; ++i) std::memcpy(from + 4 * i, &i, 4);
    const std::int64_t plane = (pixels + 31) / 32 * 32;
    const BlockTransfer block{4,
                              {images, channels, 1, pixels},
                              {std::int64_t{pixels} * channels, 1, 0, channels},
                              {plane * ((channels + 7) / 8), plane, 0, 1}};
    const auto counts = machine.run([&] {
        okk_initialize();
        load_block(0, kSource, block);
        store_block(kTarget, 0, block);
        okk_poll();
    });
    CHECK(std::memcmp(from, to, 4 * count) == 0);
    return counts.commands[isa::Engine::kGdma];
}

TEST_CASE("images whose elements pass one by one have commands of their own") {
    // One command would go back and forth between the images for every element.
    CHECK(commands_of_images(3, 40, 13) == 3 + 3);
    // Fewer elements, such as 40 * 12, go in one command.
    CHECK(commands_of_images(3, 40, 12) == 1 + 1);
    CHECK(commands_of_images(1, 40, 13) == 1 + 1);
    // With one channel, pixel rows have the same layout in local memory.
    CHECK(commands_of_images(3, 2000, 1) == 1 + 1);
}

}  // namespace
}  // namespace okksim::kernels::conv
