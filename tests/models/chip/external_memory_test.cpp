// SPDX-License-Identifier: Apache-2.0
// A chip with external global memory: whatever that memory supports, a program leaves the same
// bytes in it as in the chip's own memory. If it prices whole requests, times are equal, too.
#include <cstring>
#include <optional>

#include "firmware/calls/context.h"
#include "firmware/leave/kernel_runner.h"
#include "firmware/okk.h"
#include "firmware/okk_access.h"
#include "models/chip/chip.h"
#include "models/common/npu_module.h"
#include "sim/machine/machine.h"
#include "sim/platform/systemc_context.h"
#include "tests/support/catch.h"
#include "tests/support/plain_memory.h"

namespace {

using namespace okksim;
using models::Picoseconds;
using tests::PlainMemoryTraits;

constexpr std::uint64_t kBytes = 0x5200000;  // reserved_bytes and some more

sim::Machine machine() {
    return sim::load_machine("bm1684", {"global.bytes=" + std::to_string(kBytes)});
}

/// Offsets of the kernel's data in global memory.
constexpr std::uint64_t kInput = 0x10000;
constexpr std::uint64_t kOutput = 0x20000;
constexpr std::uint64_t kRows = 0x30000;
constexpr std::uint64_t kConstant = 0x40000;
constexpr std::uint64_t kWords = 0x50000;
constexpr std::uint64_t kEnd = 0x60000;
std::uint64_t global = 0;  // start of global memory, for the kernel

/// Loads, computes, stores, copies with strides within memory, fills, and accesses memory by
/// pointer.
void kernel(const void*) {
    const dim4 shape = {1, 64, 4, 16};
    okk_initialize();
    okk_gdma_32bit_cpy_S2L(0, global + kInput, &shape, nullptr, nullptr);
    okk_bdc_mul_C(4096, 0, 2.0F, &shape, nullptr, nullptr);
    okk_gdma_32bit_cpy_L2S(global + kOutput, 4096, &shape, nullptr, nullptr);
    // Every other row, each followed by a gap.
    const dim4 half = {1, 64, 2, 16};
    const dim4 from = {4096, 64, 32, 1};
    const dim4 to = {4096, 80, 40, 1};
    okk_gdma_32bit_cpy_S2S(global + kRows, global + kOutput, &half, &to, &from);
    x32 seven{};
    seven.s32 = 7;
    const dim4 few = {1, 3, 1, 5};
    const dim4 apart = {64, 16, 8, 1};
    okk_gdma_32bit_set_C_system(global + kConstant, seven, &few, &apart);
    okk_poll();
    // The first word of the output determines the words stored after it.
    std::uint32_t seen = 0;
    std::memcpy(&seen, okk_load_addr(global + kOutput, 4), 4);
    auto* words = okk_store_addr(global + kWords + 8, 40);
    for (std::uint32_t i = 0; i < 10; ++i) {
        const std::uint32_t value = seen + i;
        std::memcpy(words + std::size_t{4} * i, &value, 4);
    }
    // The GDMA reads the words that the processor has stored.
    const dim4 ten = {1, 1, 1, 10};
    okk_gdma_32bit_cpy_S2S(global + kWords + 4096, global + kWords + 8, &ten, nullptr, nullptr);
    okk_poll();
}

struct Outcome {
    std::vector<std::uint8_t> memory;  ///< of [kInput, kEnd)
    Picoseconds duration;
    std::optional<FaultRecord> fault;
    std::uint64_t transactions = 0;
};

std::vector<std::uint8_t> input() {
    std::vector<std::uint8_t> bytes(0x10000);
    for (std::size_t i = 0; i < bytes.size() / 4; ++i) {
        const auto value = static_cast<float>(i);
        std::memcpy(&bytes[4 * i], &value, 4);
    }
    return bytes;
}

/// Runs the kernel on a chip with the described external memory, or with its own memory.
Outcome run(const std::optional<PlainMemoryTraits>& traits, firmware::KernelEntry entry = kernel) {
    sim::SystemCContext context;
    const sim::SystemCContext::Scope scope(context);
    const sim::Machine bm1684 = machine();
    global = bm1684.params.shape().global_start;
    models::Chip chip("chip", bm1684.params, {.external_memory = traits.has_value()});
    std::optional<tests::PlainMemory> memory;
    if (traits) {
        memory.emplace("memory", *traits);
        chip.external.out.bind(memory->in);
        std::ranges::copy(input(), memory->data().begin() + kInput);
    }
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    if (!traits) {
        chip.write_memory(global + kInput, std::vector<std::byte>(kEnd - kInput));
        const auto bytes = input();
        chip.write_memory(global + kInput, std::as_bytes(std::span(bytes)));
    }
    Outcome outcome;
    chip.mcu.launch({[&](isa::CommandPort& port) {
                         firmware::Context firmware_context(port);
                         outcome.fault = firmware::run_kernel(firmware_context, entry, nullptr);
                     },
                     [&](Picoseconds start, Picoseconds end) { outcome.duration = end - start; }});
    sc_core::sc_start();
    if (!outcome.fault) outcome.fault = chip.fault();
    outcome.memory.resize(kEnd - kInput);
    if (memory) {
        std::memcpy(outcome.memory.data(), &memory->data()[kInput], outcome.memory.size());
        outcome.transactions = memory->transactions();
    } else {
        chip.read_memory(global + kInput, std::as_writable_bytes(std::span(outcome.memory)));
    }
    return outcome;
}

float float_at(const Outcome& outcome, std::uint64_t offset) {
    float value = 0;
    std::memcpy(&value, &outcome.memory[offset - kInput], 4);
    return value;
}

}  // namespace

TEST_CASE("the program itself does what it says") {
    const Outcome own = run(std::nullopt);
    REQUIRE_FALSE(own.fault);
    CHECK(float_at(own, kOutput + 40) == 20.0F);
    // Element 3 of row 2, channel 1 is element 64 + 2 * 16 + 3; the copy has it in row 1.
    CHECK(float_at(own, kRows + 4 * (80 + 40 + 3)) == 2.0F * (64 + 32 + 3));
    CHECK(own.memory[kConstant + 4 * (2 * 16 + 4) - kInput] == 7);
    CHECK(own.memory[kConstant + 4 * (2 * 16 + 5) - kInput] == 0);
    CHECK(own.memory[kWords + 4096 + 4 * 9 - kInput] == 9);
}

TEST_CASE("a memory with the law of the chip's own gives the same bytes at the same times") {
    const Outcome own = run(std::nullopt);
    const auto has_debug = GENERATE(false, true);
    const auto grants_direct = GENERATE(false, true);
    if (!has_debug && !grants_direct) return;
    const Outcome outside = run(PlainMemoryTraits{.bytes = kBytes,
                                                  .law = *machine().params.dram,
                                                  .has_debug = has_debug,
                                                  .grants_direct = grants_direct});
    REQUIRE_FALSE(outside.fault);
    CHECK(outside.memory == own.memory);
    CHECK(outside.duration == own.duration);
    // No byte went through b_transport.
    CHECK(outside.transactions == 0);
}

TEST_CASE("a memory of ordinary transactions gives the same bytes, whatever else it can do") {
    const Outcome own = run(std::nullopt);
    const auto waits = GENERATE(false, true);
    const auto has_debug = GENERATE(false, true);
    const auto grants_direct = GENERATE(false, true);
    const Outcome outside = run(PlainMemoryTraits{
        .bytes = kBytes, .has_debug = has_debug, .grants_direct = grants_direct, .waits = waits});
    REQUIRE_FALSE(outside.fault);
    CHECK(outside.memory == own.memory);
    CHECK(outside.transactions > 0);
}

TEST_CASE("direct access may be withdrawn at any moment") {
    const Outcome own = run(std::nullopt);
    const bool has_law = GENERATE(true, false);
    PlainMemoryTraits traits{.bytes = kBytes, .has_debug = true, .grants_direct = true};
    if (has_law) traits.law = *machine().params.dram;
    const Outcome granted = run(traits);
    // Every 50th of the run: during waits, copies and accesses of the processor.
    for (int i = 0; i < 50; ++i) {
        traits.withdraw_ns = granted.duration.value / 1000 * i / 50;
        const Outcome outside = run(traits);
        REQUIRE_FALSE(outside.fault);
        CAPTURE(*traits.withdraw_ns);
        CHECK(outside.memory == own.memory);
    }
}

TEST_CASE("annotated delay and waiting take the same time") {
    const auto loading = [](const void*) {
        const dim4 shape = {1, 64, 4, 16};
        okk_gdma_32bit_cpy_S2L(0, global + kInput, &shape, nullptr, nullptr);
        okk_poll();
    };
    // 16 KiB are four transactions of 1 us, longer than the GDMA transfer itself.
    PlainMemoryTraits traits{.bytes = kBytes, .latency_ns = 1000};
    const Outcome annotated = run(traits, loading);
    traits.waits = true;
    // A memory that waits also consumes time for the first transaction, which queries its
    // properties.
    CHECK(run(traits, loading).duration.value - annotated.duration.value == 1'000'000);
    traits.waits = false;
    traits.latency_ns = 2000;
    CHECK(run(traits, loading).duration.value - annotated.duration.value == 4 * 1'000'000);
}

TEST_CASE("while the data mover waits for its memory, the compute engine goes on") {
    // Starts, ends and submissions of one engine occur during the waits of the other.
    const auto parallel = [](const void*) {
        const dim4 shape = {1, 64, 16, 16};
        okk_initialize();
        for (int i = 0; i < 20; ++i) {
            okk_parallel_start();
            okk_gdma_32bit_cpy_S2L(0, global + kInput, &shape, nullptr, nullptr);
            for (int k = 0; k < 3; ++k) {
                okk_bdc_mul_C(8192, 16384, 2.0F, &shape, nullptr, nullptr);
            }
            okk_parallel_end();
        }
        okk_poll();
    };
    const Outcome outside =
        run(PlainMemoryTraits{.bytes = kBytes, .latency_ns = 333, .waits = true}, parallel);
    CHECK_FALSE(outside.fault);
    // 64 KiB in 16 transactions of 333 ns, twenty times.
    CHECK(outside.duration.value > 20 * 16 * 333'000LL);
}

TEST_CASE("what the memory refuses is a fault that names memory, address and response") {
    const Outcome outside = run(PlainMemoryTraits{.bytes = kBytes, .hole = kInput + 100});
    REQUIRE(outside.fault);
    CHECK(outside.fault->code == FaultCode::kBadAddress);
    CHECK_THAT(outside.fault->message(), Catch::Contains("chip.external.out") &&
                                             Catch::Contains("0x100010000") &&
                                             Catch::Contains("TLM_ADDRESS_ERROR_RESPONSE"));
}

TEST_CASE("a memory with the law, but without a way to its bytes, is a fault") {
    const Outcome outside = run(PlainMemoryTraits{.bytes = kBytes, .law = *machine().params.dram});
    REQUIRE(outside.fault);
    CHECK_THAT(outside.fault->message(),
               Catch::Contains("neither direct access") && Catch::Contains("nor debug access"));
}

TEST_CASE("a pointer of okk.h needs direct access; announced accesses do not") {
    const auto pointing = [](const void*) { okk_global_mem_addr(global)[0] = 1; };
    const Outcome mirrored = run(PlainMemoryTraits{.bytes = kBytes}, pointing);
    REQUIRE(mirrored.fault);
    CHECK(mirrored.fault->code == FaultCode::kUnsupported);
    CHECK_THAT(mirrored.fault->message(), Catch::Contains("okk_load_addr"));
    CHECK_FALSE(run(PlainMemoryTraits{.bytes = kBytes, .grants_direct = true}, pointing).fault);
}

namespace {

/// Elaborates a chip with external memory, or not, and perhaps a memory bound.
void elaborate(bool is_external, const std::optional<PlainMemoryTraits>& traits) {
    sim::SystemCContext context;
    const sim::SystemCContext::Scope scope(context);
    models::Chip chip("chip", machine().params, {.external_memory = is_external});
    std::optional<tests::PlainMemory> memory;
    if (traits) {
        memory.emplace("memory", *traits);
        chip.external.out.bind(memory->in);
    }
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
}

}  // namespace

TEST_CASE("elaboration says what is wrong with a platform's memory") {
    CHECK_THROWS_WITH(elaborate(true, std::nullopt), Catch::Contains("chip.external.out") &&
                                                         Catch::Contains("nothing is bound") &&
                                                         Catch::Contains("global.bytes"));
    CHECK_THROWS_WITH(elaborate(false, PlainMemoryTraits{.bytes = kBytes}),
                      Catch::Contains("a memory is bound"));
    CHECK_THROWS_WITH(
        elaborate(true, PlainMemoryTraits{.bytes = kBytes - 1, .has_debug = true}),
        Catch::Contains("does not have byte 0x51fffff") && Catch::Contains("global.bytes"));
    CHECK_NOTHROW(elaborate(true, PlainMemoryTraits{.bytes = kBytes, .has_debug = true}));
}

TEST_CASE("a chip without data keeps its memory to itself") {
    sim::SystemCContext context;
    const sim::SystemCContext::Scope scope(context);
    CHECK_THROWS_WITH(
        models::Chip("chip", machine().params, {.with_data = false, .external_memory = true}),
        Catch::Contains("external"));
}
