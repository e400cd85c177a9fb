// SPDX-License-Identifier: Apache-2.0
// Accounts and timelines of a run whose times are sums of round numbers.
#include "sim/trace/accounting.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "models/chip/in_order_machine.h"
#include "sim/machine/machine.h"
#include "sim/trace/timeline.h"
#include "tests/sim/trace/temporary_file.h"
#include "tests/support/catch.h"

namespace {

using namespace okksim;
using namespace okksim::sim::trace;

constexpr std::int64_t kMicrosecond = 1'000'000;  // picoseconds

/// All clocks have cycles of 1 us. A command costs the processor 1 us, the BDC 20 us, the data
/// mover 10 us of set-up; memory answers after 3 us and gives 1 byte per ns.
sim::Machine round_machine() {
    return sim::load_machine("bm1684", {"mcu.clock_mhz=1.0",
                                        "mcu.command_cycles=1",
                                        "mcu.query_cycles=2",
                                        "mcu.poll_cycles=4",
                                        "mcu.queue_depth=2",
                                        "host.launch_nanoseconds=5000.0",
                                        "host.sync_nanoseconds=6000.0",
                                        "bdc.clock_mhz=1.0",
                                        "bdc.startup_cycles=20",
                                        "bdc.copy_cycles=0",
                                        "gdma.clock_mhz=1.0",
                                        "gdma.setup_cycles=10",
                                        "gdma.piece_cycles=0.0",
                                        "gdma.local_bytes_per_cycle=1e6",
                                        "gdma.system_bytes_per_cycle=1e6",
                                        "dram.read_latency_nanoseconds=3000.0",
                                        "dram.read_bytes_per_nanosecond=1.0",
                                        "dram.channels=1",
                                        "dram.row_miss_nanoseconds=0.0",
                                        "dram.refresh_nanoseconds=0.0"});
}

isa::Command fill(isa::CommandId id, isa::CommandId wait_gdma, isa::CommandId wait_bdc) {
    isa::VectorSet op{};
    op.shape = {1, 1, 1, 1};
    isa::Command command = isa::Command::make(isa::Opcode::bdc_32bit_set_C, op);
    command.id = id;
    command.wait_gdma = wait_gdma;
    command.wait_bdc = wait_bdc;
    return command;
}

/// 8000 bytes: 8 us at 1 byte per ns.
isa::Command load(isa::CommandId id, const isa::MachineShape& machine) {
    isa::GdmaCopyToLocal op{};
    op.src_addr = isa::SystemAddr::from(machine.global_start);
    op.shape = {1, 1, 1, 2000};
    op.dst_stride = op.src_stride = {2000, 2000, 2000, 1};
    isa::Command command = isa::Command::make(isa::Opcode::gdma_32bit_cpy_S2L, op);
    command.id = id;
    return command;
}

/// One load, then three fills that wait for it; then a query and another fill.
Account run(models::CommandObserver* observer = nullptr) {
    const sim::Machine machine = round_machine();
    models::InOrderMachine port(machine.params);
    Accountant accountant(machine.params.host);
    accountant.name_launch("sample");
    port.add_observer(accountant);
    if (observer != nullptr) port.add_observer(*observer);
    port.begin_launch();
    port.submit(load(1, port.machine()));
    port.submit(fill(1, 1, 0));
    port.submit(fill(2, 1, 1));
    port.submit(fill(3, 1, 2));
    port.wait_until_idle();
    port.charge(isa::FirmwareCall::kQuery);
    port.submit(fill(4, 1, 3));
    port.end_launch();
    return accountant.launches().at(0);
}

void check_us(const EngineAccount& engine, Cause cause, double us) {
    INFO(cause_name(cause));
    CHECK(engine[cause].value == static_cast<std::int64_t>(us * kMicrosecond));
}

TEST_CASE("Every moment of every engine has one cause") {
    // Times since the first instruction. The load is queued at 1 and takes 10 + 3 + 8: until 22.
    // Fills are queued at 2, 3, and 42, when the first of two places is free; they run 22-42,
    // 42-62, 62-82. The poll ends at 82; 4 us for it, 2 for the query, 1 for the command: the last
    // fill is queued at 89 and ends at 109. Launch and sync add 5 + 6.
    const Account account = run();
    CHECK(account.name == "sample");
    CHECK(account.span.value == (109 + 11) * kMicrosecond);

    const EngineAccount& gdma = account.engines[Account::kGdma];
    check_us(gdma, Cause::kQueue, 1);
    check_us(gdma, Cause::kBusy, 10);
    check_us(gdma, Cause::kMemoryLatency, 3);
    check_us(gdma, Cause::kMemoryBandwidth, 8);
    check_us(gdma, Cause::kIdle, 109 - 22 + 11);

    const EngineAccount& bdc = account.engines[Account::kBdc];
    check_us(bdc, Cause::kQueue, 2 + 7);  // before the first fill and before the last
    check_us(bdc, Cause::kOtherEngine, 20);
    check_us(bdc, Cause::kBusy, 80);
    check_us(bdc, Cause::kIdle, 11);
    CHECK(bdc.commands == 4);

    const EngineAccount& mcu = account.engines[Account::kMcu];
    check_us(mcu, Cause::kBusy, 5 + 4 + 2);
    check_us(mcu, Cause::kQueue, 42 - 4);         // the third fill is ready to be written at 4
    check_us(mcu, Cause::kOtherEngine, 40 + 20);  // poll 42-82, end 89-109
    check_us(mcu, Cause::kIdle, 11);
}

TEST_CASE("An engine without work while the processor waits for the other one waits for it, too") {
    const sim::Machine machine = round_machine();
    models::InOrderMachine port(machine.params);
    Accountant accountant(machine.params.host);
    port.add_observer(accountant);
    port.begin_launch();
    port.submit(load(1, port.machine()));
    port.wait_until_idle();
    port.submit(fill(1, 1, 0));
    port.end_launch();
    // The load runs 1-22 while the processor polls; the fill is queued at 22 + 4 + 1.
    const EngineAccount& bdc = accountant.launches().at(0).engines[Account::kBdc];
    check_us(bdc, Cause::kOtherEngine, 21);
    check_us(bdc, Cause::kQueue, 1 + 5);
}

TEST_CASE("Accounts are reported as text, JSON and CSV with the same figures") {
    const Account account = run();
    const auto json = account_json(account);
    CHECK(json["simulated_us"] == 120);
    double sum = 0;
    for (const auto& value : json["engines"]["BDC"]["us_by_cause"]) sum += value.get<double>();
    CHECK(sum == Approx(120));
    CHECK(json["engines"]["BDC"]["busy_us_by_class"]["copy"] == 80);
    CHECK(account_text(account).find("DRAM latency") != std::string::npos);
    CHECK(account_csv({account}).find("0,sample,GDMA,DRAM bandwidth,,8.000000,") !=
          std::string::npos);
}

TEST_CASE("A timeline is JSON with a slice per command, kernel and operator") {
    const tests::TemporaryFile file("");
    {
        Timeline timeline(file.path(), round_machine().params);
        timeline.name_launch("sample \"kernel\"");
        run(&timeline);
        timeline.add_operator("ADD", {5 * kMicrosecond}, {27 * kMicrosecond});
        timeline.finish();
    }
    const auto events = nlohmann::json::parse(file.read())["traceEvents"];
    const auto count = [&](const char* name) {
        return std::count_if(events.begin(), events.end(), [&](const auto& event) {
            return event["name"] == name && event["ph"] == "X";
        });
    };
    CHECK(count("gdma.32bit_cpy_S2L") == 1);
    CHECK(count("bdc.32bit_set_C") == 4);
    CHECK(count("write command") == 5);
    CHECK(count("queue full") == 1);
    CHECK(count("sample \"kernel\"") == 1);
    CHECK(count("ADD") == 1);
    int depth = 0;
    for (const auto& event : events) {
        if (event["name"] == "BDC queue")
            depth = std::max(depth, event["args"]["value"].get<int>());
        if (event["name"] != "gdma.32bit_cpy_S2L") continue;
        // Launch 5, queued and started 1 later; 21 us.
        CHECK(event["ts"] == Approx(6));
        CHECK(event["dur"] == Approx(21));
        CHECK(event["args"]["bytes"] == 8000);
    }
    CHECK(depth == 2);
}

TEST_CASE("A timeline of a run that ends early is complete JSON") {
    const tests::TemporaryFile file("");
    { const Timeline timeline(file.path(), round_machine().params); }
    CHECK_NOTHROW(nlohmann::json::parse(file.read()));
}

}  // namespace
