// SPDX-License-Identifier: Apache-2.0
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <new>
#include <utility>
#include <vector>

#include "models/memory/local_memory.h"
#include "models/memory/system_memory.h"
#include "tests/support/catch.h"
#include "tests/support/small_machine.h"

namespace okksim::models {

TEST_CASE("local memory starts as poison and keeps lanes apart") {
    LocalMemory memory(tests::small_machine(4, 4096));
    CHECK(memory.bytes() == 4 * 4096);
    CHECK(std::all_of(memory.at(3, 0), memory.at(3, 4096),
                      [](std::byte b) { return b == LocalMemory::kPoisonByte; }));
    // Local address 2 * 4096 + 12 is byte 12 of lane 2.
    *memory.pointer({2 * 4096 + 12}) = std::byte{7};
    CHECK(*memory.at(2, 12) == std::byte{7});
    CHECK(*memory.at(1, 4095) == LocalMemory::kPoisonByte);
    // A power-of-two distance would put all lanes into the same cache sets.
    CHECK(memory.lane_pitch() % 4096 != 0);
    CHECK(memory.lane_pitch() >= 4096 + 64);
}

TEST_CASE("system memory answers only for ranges inside one memory") {
    const isa::MachineShape machine = tests::small_machine(4, 4096);
    SystemMemory memory(machine);
    CHECK(*memory.pointer(machine.global_start + 5000, 1) == LocalMemory::kPoisonByte);
    CHECK(memory.pointer(machine.l2_start, machine.l2_bytes) != nullptr);
    CHECK(memory.pointer(machine.l2_start + 1, machine.l2_bytes) == nullptr);
    CHECK(memory.pointer(machine.l2_start - 1, 2) == nullptr);
    CHECK(memory.pointer(machine.dtcm_start + machine.dtcm_bytes, 1) == nullptr);
    CHECK(memory.pointer(~std::uint64_t{0}, 16) == nullptr);
    CHECK(memory.pointer(0, 4) == nullptr);
}

TEST_CASE("a machine may have more memories than the three with names") {
    isa::MachineShape machine = tests::small_machine(4, 4096);
    machine.more_memories.push_back({0x40000000, 8192});
    SystemMemory memory(machine);
    CHECK(machine.in_one_memory(0x40000000, 8192));
    CHECK_FALSE(machine.in_one_memory(0x40000000, 8193));
    CHECK(*memory.pointer(0x40001FFF, 1) == LocalMemory::kPoisonByte);
    CHECK(memory.pointer(0x40001FFF, 2) == nullptr);
    CHECK(memory.pointer(0x3FFFFFFF, 1) == nullptr);
}

TEST_CASE("writes to sparse system memory stay where they are") {
    isa::MachineShape machine = tests::small_machine(4, 4096);
    machine.global_bytes = std::uint64_t{12} << 30;
    SystemMemory memory(machine);
    // On the host, the poison pattern repeats every few MiB; a write must not show in other copies.
    const std::uint64_t step = std::uint64_t{4} << 20;
    *memory.pointer(machine.global_start + 100 * step, 1) = std::byte{1};
    CHECK(*memory.pointer(machine.global_start + 101 * step, 1) == LocalMemory::kPoisonByte);
    CHECK(*memory.pointer(machine.global_start, 1) == LocalMemory::kPoisonByte);
}

TEST_CASE("memory is poison up to the end for who does not say how far he goes") {
    isa::MachineShape machine = tests::small_machine(4, 4096);
    constexpr std::uint64_t kPiece = std::uint64_t{4} << 20;
    machine.global_bytes = 5 * kPiece + 12288;
    SystemMemory memory(machine);
    // Bytes written before the rest is requested keep their values.
    *memory.pointer(machine.global_start + 3 * kPiece, 1) = std::byte{7};
    const std::byte* rest = memory.pointer_to_rest(machine.global_start + kPiece + 1);
    CHECK(rest == memory.pointer(machine.global_start + kPiece + 1, 1));
    CHECK(rest[2 * kPiece - 1] == std::byte{7});
    CHECK(rest[2 * kPiece - 2] == LocalMemory::kPoisonByte);
    CHECK(rest[machine.global_bytes - kPiece - 2] == LocalMemory::kPoisonByte);
    CHECK(memory.pointer_to_rest(machine.global_start + machine.global_bytes) == nullptr);
    // A range over several pieces.
    const std::byte* range = memory.pointer(machine.global_start + kPiece - 1, kPiece + 2);
    CHECK(range[0] == LocalMemory::kPoisonByte);
    CHECK(range[kPiece + 1] == LocalMemory::kPoisonByte);
}

TEST_CASE("what is forgotten is fresh again, and nothing beside it") {
    isa::MachineShape machine = tests::small_machine(4, 4096);
    constexpr std::uint64_t kPiece = std::uint64_t{4} << 20;
    constexpr std::uint64_t kBytes = 2 * kPiece;
    machine.global_bytes = kBytes;
    // Whole host pages, parts of them, one byte, a range over two pieces; all bytes, and none.
    const std::pair<std::uint64_t, std::uint64_t> ranges[] = {
        {8192, 4096}, {100, 200}, {4090, 10},    {5000, 9000}, {kPiece - 5000, 10000},
        {777, 1},     {512, 0},   {0, 3 * 4096}, {0, kBytes}};
    const bool at_once = GENERATE(false, true);
    for (const auto& [offset, bytes] : ranges) {
        CAPTURE(offset, bytes);
        SystemMemory memory(machine);
        std::byte* const data = at_once ? memory.pointer_to_overwrite(machine.global_start, kBytes)
                                        : memory.pointer(machine.global_start, kBytes);
        std::fill_n(data, kBytes, std::byte{7});
        memory.forget(machine.global_start + offset, bytes);
        const auto fresh = [](std::byte b) { return b == LocalMemory::kPoisonByte; };
        const auto kept = [](std::byte b) { return b == std::byte{7}; };
        CHECK(std::all_of(data, data + offset, kept));
        CHECK(std::all_of(data + offset, data + offset + bytes, fresh));
        CHECK(std::all_of(data + offset + bytes, data + kBytes, kept));
    }
    // Forgotten bytes count as never stored; memory that others own keeps its contents.
    SystemMemory memory(machine);
    *memory.pointer(machine.global_start, 1) = std::byte{7};
    CHECK_FALSE(memory.is_untouched(machine.global_start, 64));
    memory.forget(machine.global_start, 4096);
    CHECK(memory.is_untouched(machine.global_start, 64));
    std::vector<std::byte> others(kBytes, std::byte{7});
    memory.show(machine.global_start, others.data());
    memory.forget(machine.global_start, 4096);
    CHECK(others[0] == std::byte{7});
}

TEST_CASE("what is overwritten as a whole leaves its neighbours fresh") {
    isa::MachineShape machine = tests::small_machine(4, 4096);
    constexpr std::uint64_t kPiece = std::uint64_t{4} << 20;
    machine.global_bytes = 3 * kPiece;
    // Within a piece, over a border with much and with little on either side, and too little to
    // count.
    const std::pair<std::uint64_t, std::uint64_t> ranges[] = {
        {4096, 2 * kPiece / 4}, {kPiece / 2 + 3, kPiece}, {kPiece - 5, kPiece / 2}, {99, 5000}};
    for (const auto& [offset, bytes] : ranges) {
        CAPTURE(offset, bytes);
        SystemMemory memory(machine);
        std::fill_n(memory.pointer_to_overwrite(machine.global_start + offset, bytes), bytes,
                    std::byte{7});
        const std::byte* const data = memory.pointer(machine.global_start, machine.global_bytes);
        const auto fresh = [](std::byte b) { return b == LocalMemory::kPoisonByte; };
        CHECK(std::all_of(data, data + offset, fresh));
        CHECK(std::all_of(data + offset, data + offset + bytes,
                          [](std::byte b) { return b == std::byte{7}; }));
        CHECK(std::all_of(data + offset + bytes, data + machine.global_bytes, fresh));
    }
}

TEST_CASE("a limited address space holds the machine's memories as far as it goes") {
    const pid_t child = fork();
    if (child == 0) {
        rlimit limit{};
        getrlimit(RLIMIT_AS, &limit);
        limit.rlim_cur = std::uint64_t{4} << 30;
        setrlimit(RLIMIT_AS, &limit);
        isa::MachineShape machine = tests::small_machine(4, 4096);
        machine.global_bytes = std::uint64_t{12} << 30;
        int wrong = 0;
        SystemMemory first(machine);
        SystemMemory second(machine);  // two chips
        // A quarter of 4 GiB is accessible; beyond it, an error reports that memory is exhausted.
        const std::uint64_t quarter = std::uint64_t{1} << 30;
        if (*second.pointer(machine.global_start + quarter - 1, 1) != LocalMemory::kPoisonByte) {
            wrong = 1;
        }
        try {
            second.pointer(machine.global_start + quarter, 1);
            wrong = 2;
        } catch (const std::bad_alloc&) {
        }
        _exit(wrong);
    }
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(status == 0);
}

}  // namespace okksim::models
