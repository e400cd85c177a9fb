// SPDX-License-Identifier: Apache-2.0
#include "sim/why/undo_log.h"

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

#include "firmware/calls/context.h"
#include "firmware/okk.h"
#include "tests/support/catch.h"
#include "tests/support/small_machine.h"

namespace okksim::sim::why {
namespace {

constexpr std::int64_t kLaneBytes = 16384;

/// Returns all bytes of a machine.
std::vector<std::byte> image(models::FunctionalPort& port) {
    const models::LocalMemory& local = port.local_memory();
    std::vector<std::byte> all;
    for (std::int32_t lane = 0; lane < local.lanes(); ++lane) {
        all.insert(all.end(), local.at(lane, 0), local.at(lane, local.bytes_per_lane()));
    }
    for (const isa::MemoryRegion& region : port.machine().memories()) {
        const std::byte* const at = port.system_memory().pointer(region.start, region.bytes);
        all.insert(all.end(), at, at + region.bytes);
    }
    return all;
}

/// Issues commands with all kinds of results: separate rows, other lanes, bytes and half words, and
/// accumulation. It includes matrices whose last channel has more columns than the result.
void change_much(std::mt19937& random, const isa::MachineShape& machine) {
    const auto up_to = [&](int most) { return static_cast<int>(random() % unsigned(most)) + 1; };
    const auto lane = [&] { return static_cast<local_addr_t>(up_to(4) - 1) * kLaneBytes; };
    const system_addr_t global = machine.global_start;
    x32 word;
    word.fp32 = static_cast<float>(up_to(100));
    const dim4 shape{up_to(2), up_to(9), up_to(3), up_to(20)};
    const dim4 apart{500, 160, 40, 1};
    const local_addr_t from = lane();
    okk_bdc_32bit_set_C(from, word, &shape, nullptr);
    okk_bdc_32bit_set_C(from + 8192, word, &shape, up_to(2) == 1 ? nullptr : &apart);
    okk_bdc_add_C(from + 4, from + 4096, 1, &shape, &apart, nullptr);
    okk_bdc_mac_C(from, from + 8192, 0.5f, &shape, nullptr, nullptr);
    x16 half;
    half.u16 = 7;
    okk_gdma_16bit_set_C_local(lane() + 2, half, &shape, &apart);
    okk_gdma_8bit_cpy_L2S(global + 4096 + unsigned(up_to(64)), from, &shape, nullptr, nullptr);
    const system_addr_t l2 = machine.l2_start + 4u * unsigned(up_to(64));
    okk_gdma_32bit_cpy_S2S(l2, global, &shape, &apart, nullptr);
    okk_gdma_32bit_matrix_S2L(8192, global, 3, up_to(30), 8, 40);
    okk_bdc_matmul(0, 8192, 12288, 0, 3, 4, up_to(20), 4, 8, false, up_to(2) == 1);
    okk_gdma_32bit_matrix_L2S(global + 65536, 0, 3, up_to(10), 8, up_to(20) + 10);
}

}  // namespace

TEST_CASE("undo/memory is as it was, whatever commands have done") {
    const isa::MachineShape machine = tests::small_machine(4, kLaneBytes);
    models::FunctionalPort port(machine);
    UndoLog log(port);
    port.set_observer([&](const isa::Command& command) { log.keep(command); });
    firmware::Context context(port);
    const firmware::Context::Binding binding(context);
    std::mt19937 random(3);
    for (int turn = 0; turn < 50; ++turn) {
        const std::vector<std::byte> before = image(port);
        for (int i = 0; i < 3; ++i) change_much(random, machine);
        CHECK(image(port) != before);
        CHECK(log.undo());
        REQUIRE(image(port) == before);
        // Every tenth change stays.
        if (turn % 10 == 9) {
            port.set_observer({});
            change_much(random, machine);
            port.set_observer([&](const isa::Command& command) { log.keep(command); });
        }
    }
}

TEST_CASE("undo/what others write is kept as far as memories go, and no more than may be") {
    const isa::MachineShape machine = tests::small_machine(4, kLaneBytes);
    models::FunctionalPort port(machine);
    UndoLog log(port, 100);
    // The last 8 bytes of lane 2, and 60 bytes of global memory: 68 in all.
    log.keep_local(2, kLaneBytes - 8, 4096);
    log.keep_system(machine.global_start, 60);
    log.keep_system(0, 60);  // there is no memory
    const std::byte fresh = models::LocalMemory::kPoisonByte;
    *port.local_memory().at(2, kLaneBytes - 1) = std::byte{1};
    *port.system_memory().pointer(machine.global_start + 59, 1) = std::byte{1};
    CHECK(log.undo());
    CHECK(*port.local_memory().at(2, kLaneBytes - 1) == fresh);
    CHECK(*port.system_memory().pointer(machine.global_start + 59, 1) == fresh);
    log.keep_system(machine.global_start, 100);
    CHECK(log.undo());
    log.keep_system(machine.global_start, 101);
    CHECK_FALSE(log.undo());
    log.keep_system(machine.global_start, 100);
    CHECK(log.undo());
}

}  // namespace okksim::sim::why
