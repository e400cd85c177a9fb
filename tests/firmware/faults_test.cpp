// SPDX-License-Identifier: Apache-2.0
// Every way in which a kernel can fail ends the launch with a report, and the next launch works.
#include <algorithm>
#include <cstring>

#include "firmware/leave/kernel_runner.h"
#include "firmware/okk.h"
#include "firmware/okk_access.h"
#include "tests/firmware/faulty_kernels.h"
#include "tests/firmware/recording_port.h"
#include "tests/support/catch.h"
#include "tests/support/small_machine.h"

namespace okksim::tests {

namespace {

using firmware::Context;
using firmware::ContextOptions;
using firmware::DeliveryMode;
using firmware::KernelEntry;

struct Bench {
    explicit Bench(const ContextOptions& options = {}) : context(port, options) {}

    /// The fault of a kernel; checks that the next launch is healthy.
    FaultRecord fault_of(KernelEntry kernel, DeliveryMode mode = DeliveryMode::kJump) {
        const auto fault = firmware::run_kernel(context, kernel, nullptr, mode);
        REQUIRE(fault);
        CHECK(Context::current() == nullptr);
        port.clear();
        CHECK_FALSE(firmware::run_kernel(context, runs_well, nullptr));
        CHECK(port.commands().size() == 1);
        return *fault;
    }

    RecordingPort port{small_machine(4, 16384)};
    Context context;
};

bool mentions(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

bool stack_mentions(const FaultRecord& fault, const std::string& function) {
    return std::any_of(fault.call_stack.begin(), fault.call_stack.end(),
                       [&](const std::string& frame) { return mentions(frame, function); });
}

}  // namespace

TEST_CASE("host signals of firmware code become faults") {
    Bench bench;
    const FaultRecord null = bench.fault_of(dereferences_null);
    CHECK(null.code == FaultCode::kHostSignal);
    CHECK(mentions(null.message(), "NULL pointer"));
    const FaultRecord device = bench.fault_of(reads_device_address);
    CHECK(device.code == FaultCode::kHostSignal);
    CHECK(mentions(device.message(), "0x100000000"));
    CHECK(mentions(device.advice, "okk_global_mem_addr"));
    const FaultRecord division = bench.fault_of(divides_by_zero);
    CHECK(division.code == FaultCode::kHostSignal);
    CHECK(mentions(division.message(), "division by zero"));
    CHECK(stack_mentions(division, "divides_by_zero"));
}

TEST_CASE("failed assertions end the launch") {
    Bench bench;
    const FaultRecord ours = bench.fault_of(asserts_falsely);
    CHECK(ours.code == FaultCode::kAssertion);
    CHECK(mentions(ours.message(), "shape.n == 2"));
    CHECK(mentions(ours.message(), "faulty_kernels.c:"));
    CHECK(mentions(ours.message(), "asserts_falsely"));
    const FaultRecord standard = bench.fault_of(aborts);
    CHECK(standard.code == FaultCode::kAssertion);
    CHECK(mentions(standard.message(), "abort()"));
}

TEST_CASE("exit() ends the launch, not the process") {
    Bench bench;
    const FaultRecord fault = bench.fault_of(exits);
    CHECK(fault.code == FaultCode::kBadState);
    CHECK(fault.function == "exit");
    CHECK(fault.value == "5");
    CHECK(stack_mentions(fault, "exits"));
}

TEST_CASE("endless recursion is a stack overflow") {
    Bench bench;
    const FaultRecord fault = bench.fault_of(recurses_without_end);
    CHECK(fault.code == FaultCode::kHostSignal);
    CHECK(mentions(fault.message(), "stack overflow"));
}

TEST_CASE("the command budget ends endless command loops") {
    ContextOptions options;
    options.command_budget = 100;
    Bench bench(options);
    const auto fault = firmware::run_kernel(bench.context, loops_with_commands, nullptr);
    REQUIRE(fault);
    CHECK(fault->code == FaultCode::kBudget);
    CHECK(fault->function == "okk_bdc_32bit_set_C");
    CHECK(bench.port.commands().size() == 100);
    CHECK_FALSE(firmware::run_kernel(bench.context, runs_well, nullptr));
}

TEST_CASE("the call budget ends loops of calls that issue no command") {
    ContextOptions options;
    options.call_budget = 1000;
    Bench bench(options);
    const FaultRecord fault = bench.fault_of(loops_with_queries);
    CHECK(fault.code == FaultCode::kBudget);
    CHECK(fault.value == "call 1001");
    CHECK(stack_mentions(fault, "loops_with_queries"));
}

TEST_CASE("the time budget ends loops that issue no command") {
    ContextOptions options;
    options.idle_seconds = 0.05;
    Bench bench(options);
    CHECK(bench.fault_of(loops_without_commands).code == FaultCode::kBudget);
    CHECK(bench.fault_of(loops_with_queries).code == FaultCode::kBudget);
}

TEST_CASE("bad arguments name function, argument, value and rule") {
    Bench bench;
    const FaultRecord shape = bench.fault_of(passes_null_shape);
    CHECK(shape.code == FaultCode::kBadArgument);
    CHECK(shape.function == "okk_bdc_32bit_set_C");
    CHECK(shape.argument == "shape");
    CHECK(shape.value == "NULL");
    CHECK(stack_mentions(shape, "passes_null_shape"));
    const FaultRecord address = bench.fault_of(passes_bad_address);
    CHECK(address.function == "okk_bdc_32bit_set_C");
    CHECK(address.argument == "dst_addr");
    CHECK_FALSE(address.value.empty());
    CHECK_FALSE(address.rule.empty());
    const FaultRecord pointer = bench.fault_of(passes_bad_pointer);
    CHECK(pointer.code == FaultCode::kHostSignal);
    CHECK(pointer.function == "okk_bdc_32bit_set_C");
    CHECK(bench.fault_of(polls_in_parallel).code == FaultCode::kBadState);
}

TEST_CASE("reading past the argument block is a fault that gives its size") {
    Bench bench;
    const int arguments[2] = {1, 2};
    const auto fault = firmware::run_kernel(bench.context, reads_too_many_arguments,
                                            std::as_bytes(std::span(arguments)));
    REQUIRE(fault);
    CHECK(fault->code == FaultCode::kBadArgument);
    CHECK(mentions(fault->message(), "8 bytes of arguments"));
    const int enough[3] = {1, 2, 0};
    CHECK_FALSE(firmware::run_kernel(bench.context, reads_too_many_arguments,
                                     std::as_bytes(std::span(enough))));
}

TEST_CASE("kernels in C++ are left by an exception and clean up") {
    static int alive = 0;
    struct Guard {
        Guard() { ++alive; }
        ~Guard() { --alive; }
    };
    Bench bench;
    const KernelEntry kernel = [](const void*) {
        const Guard guard;
        okk_parallel_end();
    };
    const FaultRecord fault = bench.fault_of(kernel, DeliveryMode::kThrow);
    CHECK(fault.code == FaultCode::kBadState);
    CHECK(fault.function == "okk_parallel_end");
    CHECK(alive == 0);
}

TEST_CASE("faults of the machine get function and call stack; other exceptions pass through") {
    Bench bench;
    bench.port.on_submit = [](const isa::Command&) {
        FaultRecord record;
        record.code = FaultCode::kBadAddress;
        record.unit = "gdma";
        throw ProgramFault(record);
    };
    const auto fault = firmware::run_kernel(bench.context, runs_well, nullptr);
    REQUIRE(fault);
    CHECK(fault->unit == "gdma");
    CHECK(fault->function == "okk_bdc_32bit_set_C");
    // Without unwind tables the stack ends with the innermost firmware frame.
    CHECK(fault->call_stack.size() >= 1);

    bench.port.on_submit = [](const isa::Command&) { throw std::string("the machine stops"); };
    CHECK_THROWS_AS(firmware::run_kernel(bench.context, runs_well, nullptr), std::string);
    bench.port.on_submit = nullptr;
    CHECK_FALSE(firmware::run_kernel(bench.context, runs_well, nullptr));
}

TEST_CASE("pointer accessors refuse addresses outside their memory") {
    RecordingPort port(small_machine(4, 16384));
    Context context(port);
    const Context::Binding binding(context);
    const auto& machine = port.machine();
    CHECK(okk_global_mem_addr(machine.global_start) != nullptr);
    CHECK(okk_local_mem_addr(3, 16383) != nullptr);
    CHECK_THROWS_AS(okk_global_mem_addr(machine.global_start + machine.global_bytes), ProgramFault);
    CHECK_THROWS_AS(okk_global_mem_addr(machine.l2_start), ProgramFault);
    CHECK_THROWS_AS(okk_local_mem_addr(4, 0), ProgramFault);
    CHECK_THROWS_AS(okk_local_mem_addr(0, 16384), ProgramFault);
    CHECK_THROWS_AS(okk_l2_sram_addr(0), ProgramFault);
    CHECK_THROWS_AS(okk_dtcm_addr(machine.dtcm_start + machine.dtcm_bytes), ProgramFault);
}

TEST_CASE("pointers for loads and stores refuse ranges that leave their memory") {
    RecordingPort port(small_machine(4, 16384));
    Context context(port);
    const Context::Binding binding(context);
    const auto& machine = port.machine();
    const std::uint64_t end = machine.l2_start + machine.l2_bytes;
    CHECK(okk_load_addr(end - 16, 16) != nullptr);
    CHECK(okk_store_addr(machine.dtcm_start, machine.dtcm_bytes) != nullptr);
    CHECK_THROWS_AS(okk_load_addr(end - 16, 17), ProgramFault);
    CHECK_THROWS_AS(okk_load_addr(end, 1), ProgramFault);
    CHECK_THROWS_AS(okk_store_addr(machine.global_start - 1, 2), ProgramFault);
    CHECK_THROWS_AS(okk_store_addr(machine.global_start, 0), ProgramFault);
    CHECK_THROWS_AS(okk_store_addr(machine.global_start + 1, UINT64_MAX), ProgramFault);
    CHECK(port.accesses().size() == 2);
    CHECK(port.charges(isa::FirmwareCall::kPointer) == 7);
}

TEST_CASE("computing is told with a name, a kind and at most 10^9 operations") {
    RecordingPort port(small_machine(4, 16384));
    Context context(port);
    const Context::Binding binding(context);
    okk_compute("index list", OKK_INTEGER_OPERATIONS, 12);
    okk_compute("roots", OKK_FLOAT_OPERATIONS, 0);
    okk_compute("index list", OKK_INTEGER_OPERATIONS, 1000000000);
    CHECK_THROWS_AS(okk_compute("index list", OKK_INTEGER_OPERATIONS, 1000000001), ProgramFault);
    CHECK_THROWS_AS(okk_compute("", OKK_INTEGER_OPERATIONS, 1), ProgramFault);
    CHECK_THROWS_AS(okk_compute(nullptr, OKK_INTEGER_OPERATIONS, 1), ProgramFault);
    CHECK_THROWS_AS(okk_compute("roots", static_cast<okk_operation_t>(2), 1), ProgramFault);
    CHECK(port.computed() ==
          std::map<std::string, std::uint64_t>{{"index list", 1000000012}, {"roots", 0}});
    CHECK(context.counts().computations == 3);
}

TEST_CASE("what every command stands for is told before each one, until the launch ends") {
    RecordingPort port(small_machine(4, 16384));
    Context context(port);
    const Context::Binding binding(context);
    const dim4 shape{1, 1, 1, 1};
    const auto command = [&] { okk_bdc_32bit_set_C(0, {.u32 = 0}, &shape, nullptr); };
    command();
    okk_compute_per_command("loop", OKK_INTEGER_OPERATIONS, 30);
    command();
    command();
    okk_compute_per_command("loop", OKK_INTEGER_OPERATIONS, 0);
    command();
    CHECK(port.computed() == std::map<std::string, std::uint64_t>{{"loop", 60}});
    okk_compute_per_command("loop", OKK_INTEGER_OPERATIONS, 30);
    context.begin_launch();
    command();
    CHECK(port.computed().at("loop") == 60);
    CHECK_THROWS_AS(okk_compute_per_command(nullptr, OKK_INTEGER_OPERATIONS, 1), ProgramFault);
}

TEST_CASE("pointers tell the machine what the control processor touches") {
    RecordingPort port(small_machine(4, 16384));
    Context context(port);
    const Context::Binding binding(context);
    const auto& machine = port.machine();
    const auto at = [](std::uint64_t address) { return isa::SystemAddr::from(address); };
    okk_global_mem_addr(machine.global_start + 5);
    okk_l2_sram_addr(static_cast<unsigned>(machine.l2_start));
    okk_dtcm_addr(static_cast<unsigned>(machine.dtcm_start));
    okk_local_mem_addr(0, 0);  // of the lanes, no system memory
    okk_load_addr(machine.global_start, 100);
    okk_store_addr(machine.l2_start + 3, 7);
    using isa::AccessKind;
    CHECK(port.accesses() ==
          std::vector<isa::ProcessorAccess>{{at(machine.global_start + 5), 1, AccessKind::kLoad},
                                            {at(machine.l2_start), 1, AccessKind::kLoad},
                                            {at(machine.dtcm_start), 1, AccessKind::kLoad},
                                            {at(machine.global_start), 100, AccessKind::kLoad},
                                            {at(machine.l2_start + 3), 7, AccessKind::kStore}});
}

}  // namespace okksim::tests
