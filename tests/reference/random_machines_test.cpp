// SPDX-License-Identifier: Apache-2.0
// Random machines, with each parameter of the chip's dimensions changed separately. Every call
// gives the results of the slow reference, and its time follows the cost model. Otherwise the
// machine is refused with the rule that it breaks.
#include <map>

#include "firmware/calls/call_by_name.h"
#include "isa/base/errors.h"
#include "isa/layout.h"
#include "models/bdc/bdc_params.h"
#include "models/bdc/bdc_timing.h"
#include "models/chip/chip_params.h"
#include "models/chip/in_order_machine.h"
#include "sim/machine/machine.h"
#include "tests/reference/okk_duel.h"
#include "tests/support/catch.h"

namespace {

using namespace okksim;
using tests::RandomSource;

constexpr int kMachines = 50;

using Settings = std::map<std::string, std::int64_t>;

/// Random settings of a machine on which only engines and memories take time.
Settings random_machine(RandomSource& random) {
    const std::int64_t banks = random.pick({1, 2, 4, 8});
    Settings settings{{"chip.lanes", random.pick({1, 2, 3, 4, 8, 13, 16, 64})},
                      {"chip.local_memory_banks", banks},
                      {"chip.local_memory_bytes", banks * 128 * random.between(16, 64)},
                      {"bdc.execution_units", random.pick({1, 2, 5, 8, 16, 32, 64})},
                      {"bdc.bank_conflict_cycles", random.between(0, 3)},
                      {"mcu.queue_depth", random.pick({1, 2, 3, 16, 64})},
                      {"mcu.command_cycles", random.pick({0, 0, 40, 2000})},
                      {"host.launch_nanoseconds", 0},
                      {"l2.start", 0x10000000},
                      {"l2.bytes", 4096 * random.between(8, 64)},
                      {"dtcm.bytes", 4096 * random.between(8, 64)},
                      {"global.bytes", 4096 * random.between(8, 4096)},
                      {"global.reserved_bytes", 0}};
    if (random.one_in(2)) {
        settings["memory.scratch.start"] = 0x40000000;
        settings["memory.scratch.bytes"] = 4096 * random.between(8, 64);
        settings["memory.scratch.read_bytes_per_nanosecond"] = random.between(1, 100);
        settings["memory.scratch.write_bytes_per_nanosecond"] = random.between(1, 100);
        settings["memory.scratch.read_latency_nanoseconds"] = random.between(0, 300);
        settings["memory.scratch.write_latency_nanoseconds"] = random.between(0, 300);
        settings["memory.scratch.burst_bytes"] = 64;
    }
    return settings;
}

sim::Machine load(const Settings& settings) {
    std::vector<std::string> texts;
    for (const auto& [path, value] : settings) texts.push_back(path + "=" + std::to_string(value));
    return sim::load_machine("bm1684", texts);
}

/// Returns the machine, or std::nullopt if a rule named in the message refuses it.
std::optional<sim::Machine> load_or_refuse(const Settings& settings, const std::string& changed) {
    try {
        return load(settings);
    } catch (const ConfigError& error) {
        INFO(changed << ": " << error.what());
        const std::string text = error.what();
        const bool names_rule = text.find("is not a multiple of") != std::string::npos ||
                                text.find("overlaps") != std::string::npos ||
                                text.find("is outside [") != std::string::npos ||
                                text.find("leaves nothing of") != std::string::npos;
        CHECK(names_rule);
        return std::nullopt;
    }
}

void check_results(const sim::Machine& machine, std::uint64_t seed) {
    constexpr int kCalls = 6;
    const isa::MachineShape shape = machine.params.shape();
    tests::OkkDuel duel(shape, false);
    tests::RandomCalls calls(shape, seed);
    duel.fill(calls.random());
    for (int i = 0; i < kCalls;) {
        const auto rows = isa::instructions();
        const isa::InstructionInfo& row = calls.random().element(rows);
        if (!row.is_documented()) continue;
        const tests::RandomCall call = calls.valid(row);
        const auto difference = duel.run(call);
        INFO(call.text());
        CHECK(difference.value_or("") == "");
        ++i;
    }
}

/// Commands of random calls in program order, each waiting for all before it.
std::vector<isa::Command> serial_commands(const sim::Machine& machine, std::uint64_t seed,
                                          bool with_transfers) {
    struct Recorder : models::CommandObserver {
        std::vector<isa::Command> commands;
        void submitted(const isa::Command& command) override { commands.push_back(command); }
    } recorder;
    models::InOrderMachine port(machine.params);
    port.add_observer(recorder);
    port.begin_launch();
    firmware::Context context(port);
    context.begin_launch();
    const firmware::Context::Binding binding(context);
    tests::RandomCalls calls(machine.params.shape(), seed);
    for (const isa::InstructionInfo& row : isa::instructions()) {
        if (!row.is_documented()) continue;
        if (row.engine == isa::Engine::kGdma && !with_transfers) continue;
        const tests::RandomCall call = calls.valid(row);
        firmware::call_function(call.function, call.arguments);
    }
    return recorder.commands;
}

std::int64_t time_of(const std::vector<isa::Command>& commands, const sim::Machine& machine) {
    models::InOrderMachine port(machine.params);
    port.begin_launch();
    for (const isa::Command& command : commands) port.submit(command);
    return port.end_launch().value;
}

/// Time by the cost model of the compute engine, one command at a time.
std::int64_t law_of(const std::vector<isa::Command>& commands, const sim::Machine& machine) {
    const models::Clock clock(machine.params.bdc->clock_mhz);
    std::int64_t sum = 0;
    for (const isa::Command& command : commands) {
        const auto cost = models::bdc_cost(command, machine.params.shape(), *machine.params.bdc);
        sum += models::bdc_time(cost, clock).total().value;
    }
    return sum;
}

/// Cycles of an addition of `channels` channels in the aligned layout.
std::int64_t addition_cycles(const sim::Machine& machine, std::int32_t channels) {
    const isa::MachineShape shape = machine.params.shape();
    isa::VectorBinary op{};
    op.shape = {1, channels, 3, 5};
    op.dst_stride = op.src0_stride = op.src1_stride =
        isa::aligned_stride(isa::LocalAddr{0}, op.shape, 32, shape);
    return models::bdc_cost(isa::Command::make(isa::Opcode::bdc_add, op), shape,
                            *machine.params.bdc)
        .execute.value;
}

}  // namespace

TEST_CASE("other lanes, vectors, memory and banks give right results and the time of the law") {
    RandomSource random(1);
    int refused = 0;
    for (int i = 0; i < kMachines; ++i) {
        const Settings settings = random_machine(random);
        const sim::Machine machine = load(settings);
        const auto seed = static_cast<std::uint64_t>(i + 1);
        INFO("machine " << i);
        check_results(machine, seed);
        const auto change = [&](const std::string& path, std::int64_t value) {
            Settings changed = settings;
            changed[path] = value;
            auto other = load_or_refuse(changed, path);
            if (!other) ++refused;
            return other;
        };
        if (const auto wider = change("chip.lanes", 2 * machine.params.chip->lanes)) {
            check_results(*wider, seed);
            const auto lanes = static_cast<std::int32_t>(machine.params.chip->lanes);
            // One channel needs the same number of channel slots as before; 2 * lanes channels need
            // half of them.
            CHECK(addition_cycles(*wider, 1) == addition_cycles(machine, 1));
            CHECK(2 * addition_cycles(*wider, 2 * lanes) == addition_cycles(machine, 2 * lanes));
        }
        if (const auto banked = change("chip.local_memory_banks", random.between(1, 16))) {
            check_results(*banked, seed);
            if (settings.at("mcu.command_cycles") == 0) {
                const auto commands = serial_commands(machine, seed, false);
                CHECK(time_of(commands, machine) == law_of(commands, machine));
                CHECK(time_of(commands, *banked) == law_of(commands, *banked));
            }
        }
        for (const std::int64_t words : {16, 64}) {
            if (const auto other = change("chip.vector_words", words)) {
                check_results(*other, seed);
                if (settings.at("mcu.command_cycles") != 0) continue;
                const auto commands = serial_commands(*other, seed, false);
                CHECK(time_of(commands, *other) == law_of(commands, *other));
            }
        }
        for (const char* memory : {"l2.bytes", "dtcm.bytes", "global.bytes"}) {
            if (const auto larger = change(memory, settings.at(memory) + 4096)) {
                const auto commands = serial_commands(machine, seed, true);
                CHECK(time_of(commands, *larger) == time_of(commands, machine));
            }
        }
        change("chip.local_memory_bytes", machine.params.chip->local_memory_bytes + 64);
        change("l2.start", random.pick({0x02020000, 0x20000000, 0x100000000}));
    }
    // Half a line of local memory and a start address inside another memory are refused.
    CHECK(refused >= kMachines);
}

TEST_CASE("more execution units and deeper queues never take longer") {
    RandomSource random(2);
    int faster = 0;
    for (int i = 0; i < kMachines; ++i) {
        Settings settings = random_machine(random);
        const sim::Machine machine = load(settings);
        INFO("machine " << i);
        const auto commands = serial_commands(machine, static_cast<std::uint64_t>(i + 1), true);
        const std::int64_t before = time_of(commands, machine);
        for (const char* path : {"bdc.execution_units", "mcu.queue_depth"}) {
            INFO(path);
            Settings changed = settings;
            changed[path] *= 2;
            const sim::Machine better = load(changed);
            check_results(better, static_cast<std::uint64_t>(i + 1));
            const std::int64_t after = time_of(commands, better);
            CHECK(after <= before);
            faster += after < before ? 1 : 0;
        }
    }
    CHECK(faster >= kMachines / 2);
}
