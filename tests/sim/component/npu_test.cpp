// SPDX-License-Identifier: Apache-2.0
// The chip in a user's platform: programs over the host's socket, and errors at elaboration of
// incomplete platforms. examples/platform runs a graph.
#include "sim/component/npu.h"

#include <optional>

#include "firmware/launch/kernel_registry.h"
#include "firmware/okk.h"
#include "sim/platform/systemc_context.h"
#include "tests/support/catch.h"
#include "tests/support/plain_memory.h"
#include "tests/support/script_host.h"

namespace {

using namespace okksim;
using models::HostStatus;
using tests::ScriptHost;

constexpr std::uint64_t kBytes = 0x5200000;  // reserved_bytes and some more

struct Arguments {
    std::uint64_t output, input;
};

/// output = input + input, of four words.
void twice(const void* args) {
    const auto* arguments = static_cast<const Arguments*>(args);
    const dim4 shape = {1, 4, 1, 1};
    okk_initialize();
    okk_gdma_32bit_cpy_S2L(0, arguments->input, &shape, nullptr, nullptr);
    okk_bdc_add(128, 0, 0, &shape, nullptr, nullptr, nullptr);
    okk_gdma_32bit_cpy_L2S(arguments->output, 128, &shape, nullptr, nullptr);
    okk_poll();
}

NpuOptions options(bool is_external) {
    NpuOptions options;
    options.settings = {"global.bytes=" + std::to_string(kBytes)};
    options.external_memory = is_external;
    return options;
}

/// Elaborates a platform with or without a host and a memory of some size.
void elaborate(bool has_host, std::optional<std::uint64_t> memory_bytes, bool is_external = true) {
    sim::SystemCContext context;
    const sim::SystemCContext::Scope scope(context);
    Npu npu("npu", options(is_external));
    std::optional<ScriptHost> host;
    std::optional<tests::PlainMemory> memory;
    if (has_host) {
        host.emplace("host", 0, [](ScriptHost&) {});
        host->out.bind(npu.host_in);
    }
    if (memory_bytes) {
        memory.emplace("memory",
                       tests::PlainMemoryTraits{.bytes = *memory_bytes, .has_debug = true});
        npu.dram_out.bind(memory->in);
    }
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
}

}  // namespace

TEST_CASE("a host runs a kernel on the chip, with memory outside or its own") {
    const bool is_external = GENERATE(true, false);
    firmware::KernelRegistry::instance().add("twice", twice);
    sim::SystemCContext context;
    const sim::SystemCContext::Scope scope(context);
    const NpuOptions chosen = options(is_external);
    Npu npu("npu", chosen);
    const std::uint32_t program = npu.add_kernel("twice");
    std::vector<std::uint32_t> result;
    ScriptHost host("host", chosen.registers, [&](ScriptHost& self) {
        namespace registers = models::host_registers;
        const std::uint64_t input = npu.free_start();
        const auto low = static_cast<std::uint32_t>(input);
        const auto high = static_cast<std::uint32_t>(input >> 32);
        self.write(input, {0x3F800000, 0x40000000, 0, 0x3F000000});  // 1, 2, 0, 0.5
        self.write(input + 256, {low + 512, high, low, high});
        self.write(chosen.registers + registers::kArgumentLow, {low + 256, high, 16});
        CHECK(self.run_program(program) == HostStatus::kDone);
        result = self.read(input + 512, 4);
    });
    host.out.bind(npu.host_in);
    std::optional<tests::PlainMemory> memory;
    if (is_external) {
        memory.emplace("memory", tests::PlainMemoryTraits{.bytes = kBytes});
        npu.dram_out.bind(memory->in);
    }
    sc_core::sc_start();
    CHECK(result == std::vector<std::uint32_t>{0x40000000, 0x40800000, 0, 0x3F800000});
    CHECK(npu.fault().empty());
    CHECK(npu.findings().empty());
}

TEST_CASE("elaboration says what a platform lacks") {
    CHECK_NOTHROW(elaborate(true, kBytes));
    CHECK_NOTHROW(elaborate(true, std::nullopt, false));
    CHECK_THROWS_WITH(elaborate(false, kBytes),
                      Catch::Contains("npu.host_in") && Catch::Contains("is unbound"));
    CHECK_THROWS_WITH(
        elaborate(true, std::nullopt),
        Catch::Contains("npu") &&
            Catch::Contains("nothing is bound to the socket for external global memory"));
    CHECK_THROWS_WITH(elaborate(true, kBytes / 2), Catch::Contains("does not have byte 0x51fffff"));
    CHECK_THROWS_WITH(elaborate(true, kBytes, false), Catch::Contains("a memory is bound"));
}

TEST_CASE("kernels and machines that are not there are errors at once") {
    sim::SystemCContext context;
    const sim::SystemCContext::Scope scope(context);
    Npu npu("npu", options(true));
    CHECK_THROWS_WITH(npu.add_kernel("no_such_kernel"), Catch::Contains("no_such_kernel"));
    CHECK_THROWS_WITH(npu.add_graph("no_such_model.tosa"), Catch::Contains("no_such_model.tosa"));
    CHECK_THROWS(Npu("other", {.machine = "no_such_machine"}));
}
