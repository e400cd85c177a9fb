// SPDX-License-Identifier: Apache-2.0
// Properties of the accounts of any command stream.
#include <algorithm>

#include "models/chip/in_order_machine.h"
#include "sim/machine/machine.h"
#include "sim/trace/accountant.h"
#include "tests/sim/trace/traced_run.h"
#include "tests/support/catch.h"

namespace {

using namespace okksim;
using sim::trace::Account;
using sim::trace::EngineAccount;

Account account_of(const sim::Machine& machine, unsigned seed, int calls) {
    models::InOrderMachine port(machine.params);
    sim::trace::Accountant accountant(machine.params);
    port.add_observer(accountant);
    port.begin_launch();
    tests::random_program(port, seed, calls);
    port.end_launch();
    return accountant.launches().at(0);
}

/// True if every part of an engine's time is at least zero and the parts add up to the launch's
/// time.
bool is_complete(const Account& account) {
    const auto no_less_than_zero = [](models::Picoseconds time) { return time.value >= 0; };
    return std::all_of(
        account.engines.begin(), account.engines.end(), [&](const EngineAccount& engine) {
            return std::all_of(engine.by_cause.begin(), engine.by_cause.end(), no_less_than_zero) &&
                   std::all_of(engine.busy.begin(), engine.busy.end(),
                               [&](const auto& entry) { return no_less_than_zero(entry.time); }) &&
                   engine.total().value == account.span.value &&
                   engine.busy.total().value == engine[sim::trace::Cause::kBusy].value;
        });
}

}  // namespace

TEST_CASE("10,000 random command streams have no negative and no unaccounted moment") {
    // The second machine has a fast processor, so that engines and queues are the limit.
    const sim::Machine machines[] = {
        sim::load_machine("bm1684"),
        sim::load_machine("bm1684", {"mcu.command_cycles=20", "mcu.queue_depth=2",
                                     "chip.bank_interference=1.0", "bdc.bank_conflict_cycles=2.0",
                                     "dram.channels=4", "dram.turnaround_nanoseconds=30.0"})};
    for (unsigned seed = 1; seed <= 5000; ++seed) {
        for (const sim::Machine& machine : machines) {
            INFO("seed " << seed);
            REQUIRE(is_complete(account_of(machine, seed, 12)));
        }
    }
}

TEST_CASE("More work does not take less time") {
    // A longer random program begins with the shorter program of the same seed.
    const sim::Machine machine = sim::load_machine("bm1684", {"mcu.command_cycles=20"});
    for (unsigned seed = 1; seed <= 200; ++seed) {
        INFO("seed " << seed);
        CHECK(account_of(machine, seed, 20).span.value >= account_of(machine, seed, 10).span.value);
    }
}
