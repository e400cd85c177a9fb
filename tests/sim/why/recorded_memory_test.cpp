// SPDX-License-Identifier: Apache-2.0
#include "sim/why/recorded_memory.h"

#include <algorithm>
#include <cstring>

#include "firmware/calls/context.h"
#include "firmware/okk.h"
#include "models/chip/chip.h"
#include "sim/platform/simulation.h"
#include "sim/trace/command_recorder.h"
#include "tests/sim/trace/temporary_file.h"
#include "tests/support/catch.h"

namespace okksim::sim::why {
namespace {

constexpr local_addr_t kSum = 0x8000;

/// Adds values that the GDMA loads into two buffers in turn, while it fills the other buffer. The
/// commands take effect out of order, and some must not take effect twice.
void add_in_turns(isa::CommandPort& port) {
    firmware::Context context(port);
    context.begin_launch();
    const firmware::Context::Binding binding(context);
    const system_addr_t global = okk_global_mem_start_addr();
    const dim4 shape{1, 8, 1, 16};
    const dim4 buffer{1, 64, 1, 4096};  // takes longer than the sums
    okk_initialize();
    okk_bdc_32bit_set_C(kSum, x32{}, &shape, nullptr);
    for (unsigned i = 0; i < 12; ++i) {
        okk_parallel_start();
        x32 value;
        value.fp32 = static_cast<float>(i);
        okk_gdma_32bit_set_C_local(i % 2 * 16384, value, &buffer, nullptr);
        if (i > 0) {
            for (int times = 0; times < 3; ++times) {
                okk_bdc_mac_C(kSum, (i + 1) % 2 * 16384, 0.5f, &shape, nullptr, nullptr);
            }
        }
        okk_parallel_end();
        okk_gdma_32bit_cpy_L2S(i % 3 == 0 ? okk_l2_sram_start_addr() : global + 4096u * i, kSum,
                               &shape, nullptr, nullptr);
        if (i % 4 == 3) okk_poll();
    }
    okk_poll();
}

void record(const std::filesystem::path& path, std::uint64_t work_apart) {
    Simulation simulation(load_machine("bm1684"), {});
    models::Chip& chip = simulation.chip();
    trace::CommandRecorder recorder(
        path, simulation.machine(),
        trace::RecordedParts{.crc = true, .data = true, .work_apart = work_apart},
        chip.local_memory(), chip.system_memory());
    chip.add_observer(recorder);
    recorder.name_launch("add_in_turns");
    simulation.launch({add_in_turns, [](models::Picoseconds, models::Picoseconds) {}});
    simulation.run();
    recorder.finish();
}

bool same_lanes(models::FunctionalPort& a, models::FunctionalPort& b) {
    return std::memcmp(a.local_memory().storage(), b.local_memory().storage(),
                       static_cast<std::size_t>(a.local_memory().storage_bytes())) == 0;
}

bool same_system(models::FunctionalPort& a, models::FunctionalPort& b) {
    for (const isa::MemoryRegion& region : {a.machine().global(), a.machine().l2()}) {
        constexpr std::size_t kBytes = 64 << 10;
        if (std::memcmp(a.system_memory().pointer(region.start, kBytes),
                        b.system_memory().pointer(region.start, kBytes), kBytes) != 0) {
            return false;
        }
    }
    return true;
}

}  // namespace

TEST_CASE("memory from checkpoints is what all commands make, wherever one stands") {
    const tests::TemporaryFile with(""), without("");
    record(with.path(), 0);
    record(without.path(), UINT64_MAX);
    const Recording checkpoints(with.path());
    const Recording plain(without.path());
    const std::size_t events = plain.events().size();
    REQUIRE(checkpoints.events().size() == events);
    CHECK(plain.checkpoint_before(events) == nullptr);
    const Checkpoint* const last = checkpoints.checkpoint_before(events);
    REQUIRE(last != nullptr);
    CHECK(last->event > events / 2);

    const Machine machine = plain.machine();
    RecordedMemory straight(plain, machine, true);
    bool some_ahead = false;
    for (std::size_t i = 0; i <= events; ++i) {
        straight.move_to(i);
        RecordedMemory jumped(checkpoints, machine, true);
        jumped.move_to(i);
        CHECK(jumped.position() == i);
        CHECK(same_lanes(straight.port(), jumped.port()));
        CHECK(same_system(straight.port(), jumped.port()));
        jumped.move_to(events);
        CHECK_FALSE(jumped.deviates());
        const Checkpoint* const from = checkpoints.checkpoint_before(i);
        some_ahead = some_ahead || (from != nullptr && !from->ahead.empty());
    }
    CHECK_FALSE(straight.deviates());
    CHECK(some_ahead);
}

}  // namespace okksim::sim::why
