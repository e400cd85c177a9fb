// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

#include "firmware/calls/call_by_name.h"
#include "firmware/calls/context.h"
#include "firmware/okk_access.h"
#include "isa/instructions.h"
#include "models/chip/in_order_machine.h"
#include "models/mcu/host_params.h"
#include "sim/platform/simulation.h"
#include "sim/trace/run_observers.h"
#include "tests/support/random_calls.h"

namespace okksim::tests {

/// A load or store of up to 40 lines in any system memory.
inline isa::ProcessorAccess random_access(RandomSource& random, const isa::MachineShape& machine) {
    const std::array<std::uint64_t, 3> starts{machine.global_start, machine.l2_start,
                                              machine.dtcm_start};
    const auto place = static_cast<std::uint64_t>(random.between(0, 20000));
    return {isa::SystemAddr::from(starts[static_cast<std::size_t>(random.between(0, 2))] + place),
            static_cast<std::uint64_t>(random.between(1, 1280)),
            random.between(0, 2) == 0 ? isa::AccessKind::kStore : isa::AccessKind::kLoad};
}

/// Random valid calls of all functions, parallel sections, polls, and the processor's own loads,
/// stores and computing. Equal seeds give equal programs.
inline void random_program(isa::CommandPort& port, unsigned seed, int calls) {
    firmware::Context context(port);
    context.begin_launch();
    const firmware::Context::Binding binding(context);
    RandomCalls random(port.machine(), seed);
    std::vector<const isa::InstructionInfo*> rows;
    for (const isa::InstructionInfo& row : isa::instructions()) {
        if (row.is_documented()) rows.push_back(&row);
    }
    firmware::call_function("okk_initialize", {});
    for (int i = 0; i < calls; ++i) {
        const auto kind = random.random().between(0, 9);
        if (kind == 0) {
            firmware::call_function(context.parallel() ? "okk_parallel_end" : "okk_parallel_start",
                                    {});
        } else if (kind == 1 && !context.parallel()) {
            firmware::call_function("okk_poll", {});
        } else if (kind == 2) {
            firmware::call_function("okk_npu_num", {});
        } else if (kind == 3) {
            port.access(random_access(random.random(), port.machine()));
        } else if (kind == 4) {
            const auto operations = random.random().between(0, 5000);
            okk_compute(operations % 2 == 0 ? "even work" : "odd work",
                        operations % 3 == 0 ? OKK_FLOAT_OPERATIONS : OKK_INTEGER_OPERATIONS,
                        static_cast<unsigned long long>(operations));
        } else {
            const auto row = random.random().between(0, static_cast<std::int64_t>(rows.size()) - 1);
            const RandomCall call = random.valid(*rows[static_cast<std::size_t>(row)]);
            firmware::call_function(call.function, call.arguments);
        }
    }
    if (context.parallel()) firmware::call_function("okk_parallel_end", {});
}

/// Records random programs in closed form, without SystemC: some tests throw afterwards, and
/// address sanitizers do not support that together with coroutines.
inline void record_closed_form(const std::filesystem::path& path,
                               const std::vector<std::string>& settings, int calls = 300) {
    const sim::Machine machine = sim::load_machine("bm1684", settings);
    sim::trace::CommandRecorder recorder(path, machine);
    models::InOrderMachine port(machine.params);
    port.add_observer(recorder);
    for (unsigned launch = 0; launch < 2; ++launch) {
        recorder.name_launch("random " + std::to_string(launch));
        port.begin_launch();
        random_program(port, 1 + launch, calls);
        port.end_launch();
    }
    recorder.finish();
}

/// Launches random programs on the chip with an observer.
struct TracedRun {
    std::vector<double> simulated_us;
    std::vector<sim::trace::Account> accounts;

    TracedRun(const std::vector<std::string>& settings, bool with_data,
              const sim::trace::ObserverOptions& options, unsigned seed = 1, int calls = 300) {
        models::ChipOptions chip;
        chip.with_data = with_data;
        sim::Simulation simulation(sim::load_machine("bm1684", settings), chip);
        sim::trace::RunObservers observers(sim::trace::observed(simulation), options);
        const models::HostParams& host = *simulation.machine().params.host;
        const double host_us = (host.launch_nanoseconds + host.sync_nanoseconds) * 1e-3;
        for (unsigned launch = 0; launch < 2; ++launch) {
            observers.name_launch("random " + std::to_string(launch));
            simulation.launch(
                {[=](isa::CommandPort& port) { random_program(port, seed + launch, calls); },
                 [&, host_us](models::Picoseconds start, models::Picoseconds end) {
                     simulated_us.push_back((end - start).microseconds() + host_us);
                 }});
        }
        simulation.run();
        observers.finish();
        accounts = observers.accountant().launches();
    }
};

}  // namespace okksim::tests
