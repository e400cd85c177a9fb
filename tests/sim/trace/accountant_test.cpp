// SPDX-License-Identifier: Apache-2.0
// Accounts of a run whose times are sums of round numbers.
#include "sim/trace/accountant.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "models/chip/chip_params.h"
#include "models/chip/in_order_machine.h"
#include "models/mcu/mcu_params.h"
#include "sim/machine/machine.h"
#include "sim/trace/account_report.h"
#include "sim/trace/command_log.h"
#include "sim/trace/roofline.h"
#include "tests/sim/trace/reference_engines.h"
#include "tests/sim/trace/round_run.h"
#include "tests/sim/trace/temporary_file.h"
#include "tests/support/catch.h"

namespace {

using namespace okksim;
using namespace okksim::sim::trace;
using namespace okksim::tests;

void check_us(const EngineAccount& engine, Cause cause, double us) {
    INFO(cause_name(cause));
    CHECK(engine[cause].value == static_cast<std::int64_t>(us * kMicrosecond));
}

TEST_CASE("Every moment of every engine has one cause") {
    // Times since the first instruction. The load is queued at 1 and takes 10 + 3 + 8, until 22.
    // Fills are queued at 2, 3, and 42, when the first of two queue entries is free. They run
    // 22-42, 42-62, 62-82. The poll ends at 82 and takes 4 us; the query takes 2, the command 1.
    // The last fill is queued at 89 and ends at 109. Launch and sync add 5 + 6.
    const Account account = run();
    CHECK(account.name == "sample");
    CHECK(account.span.value == (109 + 11) * kMicrosecond);

    const EngineAccount& gdma = account.engines[tests::kGdma];
    check_us(gdma, Cause::kQueue, 1);
    check_us(gdma, Cause::kBusy, 10);
    check_us(gdma, Cause::kMemoryLatency, 3);
    check_us(gdma, Cause::kMemoryBandwidth, 8);
    check_us(gdma, Cause::kIdle, 109 - 22 + 11);

    const EngineAccount& bdc = account.engines[tests::kBdc];
    check_us(bdc, Cause::kQueue, 2 + 7);  // before the first fill and before the last
    check_us(bdc, Cause::kOtherEngine, 20);
    check_us(bdc, Cause::kBusy, 80);
    check_us(bdc, Cause::kIdle, 11);
    CHECK(bdc.commands == 4);

    const EngineAccount& mcu = account.engines[tests::kMcu];
    check_us(mcu, Cause::kBusy, 5 + 4 + 2);
    check_us(mcu, Cause::kQueue, 42 - 4);         // the third fill is ready to be written at 4
    check_us(mcu, Cause::kOtherEngine, 40 + 20);  // poll 42-82, end 89-109
    check_us(mcu, Cause::kIdle, 11);
}

TEST_CASE("Events of commands and of the processor are counted with the time") {
    using models::energy::Memory;
    using models::energy::MemoryBytes;
    using models::energy::Unit;
    const sim::Machine machine = round_machine();
    models::InOrderMachine port(machine.params);
    Accountant accountant(machine.params);
    port.add_observer(accountant);
    port.begin_launch();
    port.submit(load(1, port.machine()));
    port.submit(fill(1, 1, 0));
    port.access(part_of_two_lines(port.machine()));
    port.end_launch();
    // 8000 bytes of DRAM in rows of 8192, one word filled, two lines of 32 bytes loaded.
    const Account& account = accountant.launches().at(0);
    const models::energy::EventCounts counts = account.event_counts();
    CHECK(counts.of(Unit::kGdma)[Memory::kDram] == MemoryBytes{8000, 0});
    CHECK(counts.of(Unit::kGdma)[Memory::kLocal] == MemoryBytes{0, 8000});
    CHECK(counts.of(Unit::kGdma).dram_rows == 1);
    CHECK(counts.of(Unit::kBdc)[Memory::kLocal] == MemoryBytes{0, 4});
    CHECK(counts.of(Unit::kMcu)[Memory::kDram] == MemoryBytes{64, 0});
    CHECK(counts.of(Unit::kMcu).dram_rows == 1);
    CHECK(counts.commands == std::array<std::uint64_t, 3>{1, 1, 0});
    // From the first instruction to the end: the host's launch and sync take 11.
    CHECK(counts.processor_time.value == account.span.value - 11 * kMicrosecond);
}

TEST_CASE("An engine without work while the processor waits for the other one waits for it, too") {
    const sim::Machine machine = round_machine();
    models::InOrderMachine port(machine.params);
    Accountant accountant(machine.params);
    port.add_observer(accountant);
    port.begin_launch();
    port.submit(load(1, port.machine()));
    port.wait_until_idle();
    port.submit(fill(1, 1, 0));
    port.end_launch();
    // The load runs 1-22 while the processor polls; the fill is queued at 22 + 4 + 1.
    const EngineAccount& bdc = accountant.launches().at(0).engines[tests::kBdc];
    check_us(bdc, Cause::kOtherEngine, 21);
    check_us(bdc, Cause::kQueue, 1 + 5);
}

TEST_CASE("The processor's wait for its own load has the memory's causes") {
    const sim::Machine machine = round_machine();
    models::InOrderMachine port(machine.params);
    Accountant accountant(machine.params);
    port.add_observer(accountant);
    port.begin_launch();
    port.charge(isa::FirmwareCall::kQuery);
    port.access(part_of_two_lines(port.machine()));
    port.submit(fill(1, 0, 0));
    port.end_launch();
    // The query ends at 2. The load takes 64 bytes at 1 byte per ns and 3 us of latency per line,
    // until 8.064. The fill is queued 1 later: until then the engine waits for the processor.
    const Account& account = accountant.launches().at(0);
    const EngineAccount& mcu = account.engines[tests::kMcu];
    check_us(mcu, Cause::kBusy, 2 + 1);
    check_us(mcu, Cause::kMemoryBandwidth, 0.064);
    check_us(mcu, Cause::kMemoryLatency, 6);
    check_us(mcu, Cause::kOtherEngine, 20);
    check_us(account.engines[tests::kBdc], Cause::kQueue, 9.064);
    CHECK(account.span.value == static_cast<std::int64_t>((9.064 + 20 + 11) * kMicrosecond));
}

TEST_CASE("Computing of the processor's own is a cause, for it and for engines that wait for it") {
    sim::Machine machine = round_machine();
    machine.params.mcu->integer_operation_cycles = 0.5;
    machine.params.mcu->soft_float_operation_cycles = 6;
    models::InOrderMachine port(machine.params);
    Accountant accountant(machine.params);
    port.add_observer(accountant);
    port.begin_launch();
    port.compute({"index list", isa::ComputeKind::kInteger, 7});
    port.charge(isa::FirmwareCall::kQuery);
    port.submit(fill(1, 0, 0));
    port.compute({"roots", isa::ComputeKind::kSoftFloat, 2});
    port.end_launch();
    // Half a cycle for each of seven operations is rounded up to 4 us. The work is announced before
    // the query (2 us) and charged after it. The fill is queued 1 later at 7 and runs until 27; the
    // roots take 7-19.
    const Account& account = accountant.launches().at(0);
    const EngineAccount& mcu = account.engines[tests::kMcu];
    check_us(mcu, Cause::kBusy, 2 + 1);
    check_us(mcu, Cause::kComputing, 4 + 12);
    check_us(mcu, Cause::kOtherEngine, 8);
    const EngineAccount& bdc = account.engines[tests::kBdc];
    check_us(bdc, Cause::kQueue, 2 + 1);
    check_us(bdc, Cause::kComputing, 4);
    check_us(bdc, Cause::kBusy, 20);
    CHECK(account.span.value == (27 + 11) * kMicrosecond);
    CHECK(account_text(account).find("MCU computing") != std::string::npos);
    CHECK(account_json(account)["engines"]["MCU"]["us_by_cause"]["MCU computing"] == 16);
}

TEST_CASE("A second compute engine has an account, a track and columns of its own") {
    sim::Machine machine = round_machine();
    machine.params.chip->compute_engines = 2;
    models::InOrderMachine port(machine.params);
    Accountant accountant(machine.params);
    const tests::TemporaryFile file("");
    Timeline timeline(file.path(), machine);
    port.add_observer(accountant);
    accountant.add_listener(timeline);
    port.begin_launch();
    for (isa::CommandId id = 1; id <= 3; ++id) {
        isa::Command command = fill(id, 0, 0);
        command.instance = id == 2 ? 1 : 0;
        port.submit(command);
    }
    port.end_launch();
    timeline.finish();
    // Queued at 1, 2 and 3. The first engine works 1-21 and 21-41, the second one 2-22.
    const Account& account = accountant.launches().at(0);
    REQUIRE(account.engines.size() == 4);
    CHECK(account.engines[2].engine.name == "BDC1");
    check_us(account.engines[1], Cause::kBusy, 40);
    check_us(account.engines[1], Cause::kQueue, 1);
    check_us(account.engines[2], Cause::kBusy, 20);
    check_us(account.engines[2], Cause::kQueue, 2);
    check_us(account.engines[2], Cause::kIdle, 41 - 22 + 11);
    CHECK(account.processor().commands == 3);
    CHECK(account_json(account)["engines"]["BDC1"]["commands"] == 1);
    CHECK(account_column_names(EngineList(machine.params)).find(",bdc1_busy_us") !=
          std::string::npos);
    const std::string events = file.read();
    CHECK(events.find("BDC1 queue") != std::string::npos);
    CHECK(roofline(account, machine.params).operations == 3);  // of one word each
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
    CHECK(account_csv({account}, round_machine()).find("0,sample,GDMA,DRAM bandwidth,,8.000000,") !=
          std::string::npos);
}

TEST_CASE("Every command's time is written by cause") {
    const tests::TemporaryFile file("", ".csv");
    CommandLog log(file.path(), round_machine());
    log.set_owner([] { return "ADD y"; });
    run(nullptr, &log);
    log.finish();
    const std::string text = file.read();
    // The load waits 1 us for the processor and takes 10 us of set-up, 8 of bandwidth, 3 of
    // latency. Its times begin with the launch, which takes 5.
    CHECK(text.find("\n0,sample,ADD y,GDMA,1,moving tensors,6.000000,6.000000,27.000000,1.000000,"
                    "0.000000,0.000000,10.000000,8.000000,3.000000,0.000000,0,8000,0,") !=
          std::string::npos);
    // The second fill waits only for the first one, the last fill for the processor: 7 us.
    CHECK(text.find("\n0,sample,ADD y,BDC,2,copy,8.000000,47.000000,67.000000,0.000000,0.000000,"
                    "0.000000,20.000000,0.000000,0.000000,0.000000,1,0,0,") != std::string::npos);
    CHECK(text.find("\n0,sample,ADD y,BDC,4,copy,94.000000,94.000000,114.000000,7.000000,") !=
          std::string::npos);
    CHECK(std::count(text.begin(), text.end(), '\n') == 1 + 5);
}

TEST_CASE("The account of every command is JSON when its file is named so") {
    const tests::TemporaryFile file("", ".json");
    {
        CommandLog log(file.path(), round_machine());
        run(nullptr, &log);
    }  // not finished, as after an error
    const auto rows = nlohmann::json::parse(file.read());
    REQUIRE(rows.size() == 5);
    CHECK(rows[0]["engine"] == "GDMA");
    CHECK(rows[0]["dram_latency_us"] == 3);
    CHECK(rows[4]["queue_us"] == 7);
}

}  // namespace
