// SPDX-License-Identifier: Apache-2.0
#include "sim/lab/bench/network_run.h"

#include <cstring>
#include <fstream>
#include <memory>
#include <string>

#include "isa/base/errors.h"
#include "isa/base/fault.h"
#include "models/chip/chip.h"
#include "models/chip/functional_port.h"
#include "sim/execution/executor.h"
#include "sim/execution/random_input.h"
#include "sim/graph/formats/graph_formats.h"
#include "sim/graph/tosa_v1/tosa_v1_writer.h"
#include "sim/graph/validate/validate.h"
#include "sim/lab/bench/host_limits.h"
#include "sim/lab/bench/turns.h"
#include "sim/planning/machine_plan.h"
#include "sim/planning/packed_constants.h"

namespace okksim::sim::bench {
namespace {

using execution::ExecutionReport;
using execution::GraphExecutor;

/// A validated network and its plan on the reference machine.
struct LoadedNetwork {
    explicit LoadedNetwork(const NetworkFile& network)
        : machine(load_machine("bm1684")), graph(graph::load_graph(network.path)) {
        graph::validate_graph(graph);
        plan = planning::plan_for_machine(graph, machine);
        const graph::Block& main = graph.main();
        for (const graph::TensorIndex index : main.inputs) {
            const graph::Tensor& input = main.tensors[index];
            inputs.push_back(execution::random_input(input.type, input.shape, inputs.size() + 1));
        }
    }

    void set_inputs(GraphExecutor& executor) const {
        for (std::size_t i = 0; i < inputs.size(); ++i) executor.set_input(i, inputs[i]);
    }

    Machine machine;
    graph::Graph graph;
    planning::GraphPlan plan;
    std::vector<graph::HostTensor> inputs;
};

double milliseconds(const ExecutionReport& report) {
    return (report.end - report.start).microseconds() * 1e-3;
}

ExecutionReport run_checked(GraphExecutor& executor) {
    ExecutionReport report = executor.run();
    if (report.fault) throw ProgramFault(*report.fault);
    return report;
}

double commands_of(const ExecutionReport& report) {
    std::uint64_t commands = 0;
    for (const execution::OperatorRecord& record : report.operators) {
        for (const execution::EngineUse& engine : record.engines) commands += engine.commands;
    }
    return static_cast<double>(commands);
}

/// Resets the process's peak of resident memory, if the host permits it.
void restart_peak() { std::ofstream("/proc/self/clear_refs") << "5"; }

/// Returns the peak of resident memory in 10^6 bytes.
double peak_megabytes() {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
        if (line.starts_with("VmHWM:")) return std::stod(line.substr(6)) * 1024 * 1e-6;
    }
    return 0;
}

/// One action of the control processor.
struct Action {
    enum class Kind : std::uint8_t { kCommand, kPoll, kCharge, kCompute, kAccess };
    Kind kind = Kind::kCommand;
    isa::Command command{};
    isa::FirmwareCall call{};
    std::uint64_t count = 0;
    isa::ProcessorAccess access{};
    isa::Computation computation{};  ///< its name is part of the kernels' code
};

/// Keeps the control processor's actions in program order.
class ActionKeeper : public models::CommandObserver {
 public:
    void submitted(const isa::Command& command) override {
        actions.push_back({.kind = Action::Kind::kCommand, .command = command});
    }
    void polled() override { actions.push_back({.kind = Action::Kind::kPoll}); }
    void charged(isa::FirmwareCall call, std::uint64_t count) override {
        actions.push_back({.kind = Action::Kind::kCharge, .call = call, .count = count});
    }
    void computed(const isa::Computation& computation) override {
        actions.push_back({.kind = Action::Kind::kCompute, .computation = computation});
    }
    void accessed(const isa::ProcessorAccess& access) override {
        actions.push_back({.kind = Action::Kind::kAccess, .access = access});
    }

    std::vector<Action> actions;
};

void perform(const std::vector<Action>& actions, isa::CommandPort& port) {
    for (const Action& action : actions) {
        switch (action.kind) {
            case Action::Kind::kCommand: port.submit(action.command); break;
            case Action::Kind::kPoll: port.wait_until_idle(); break;
            case Action::Kind::kCompute: port.compute(action.computation); break;
            case Action::Kind::kAccess: port.access(action.access); break;
            case Action::Kind::kCharge:
                for (std::uint64_t i = 0; i < action.count; ++i) port.charge(action.call);
                break;
        }
    }
}

/// The functional model without time, with the network's constants and inputs in memory.
class FunctionalMachine {
 public:
    explicit FunctionalMachine(const LoadedNetwork& network)
        : port_(network.machine.params.shape()) {
        for (const planning::ConstantImage& constant : network.plan.constants) {
            if (constant.is_read) write(constant.address, constant.value.data);
        }
        planning::pack_constants(
            network.graph, network.plan,
            [this](std::uint64_t address, auto bytes) { write(address, bytes); });
        const planning::BlockPlan& main = network.plan.block(network.graph.entry);
        for (std::size_t i = 0; i < network.inputs.size(); ++i) {
            write(main.slots[main.inputs[i]].address, network.inputs[i].data);
        }
    }

    /// Returns the processor time in seconds.
    double perform(const std::vector<Action>& actions) {
        const double start = thread_seconds();
        bench::perform(actions, port_);
        return thread_seconds() - start;
    }

 private:
    void write(std::uint64_t address, std::span<const std::byte> bytes) {
        if (bytes.empty()) return;
        std::byte* target = port_.system_memory().pointer(address, bytes.size());
        OKKSIM_CHECK(target != nullptr);
        std::memcpy(target, bytes.data(), bytes.size());
    }

    models::FunctionalPort port_;
};

/// Returns the processor time of the actions on the chip in seconds; sets their simulated time in
/// ms.
double perform_on_chip(const std::vector<Action>& actions, Simulation& simulation,
                       double& simulated_ms) {
    simulation.launch({[&](isa::CommandPort& port) { perform(actions, port); },
                       [&](models::Picoseconds start, models::Picoseconds end) {
                           simulated_ms = (end - start).microseconds() * 1e-3;
                       }});
    const double start = thread_seconds();
    simulation.run();
    return thread_seconds() - start;
}

/// A chip that has run a network once, so that its memory is initialised and resident.
struct RunNetwork {
    RunNetwork(const LoadedNetwork& network, const models::ChipOptions& options)
        : simulation(std::make_unique<Simulation>(network.machine, options)),
          executor(network.graph, network.plan, *simulation) {
        network.set_inputs(executor);
        run_checked(executor);
    }

    std::unique_ptr<Simulation> simulation;
    GraphExecutor executor;
};

void measure_without_effects(const LoadedNetwork& network, int rounds, TimingCost& cost) {
    models::ChipOptions options;
    options.with_data = false;
    Simulation simulation(network.machine, options);
    GraphExecutor executor(network.graph, network.plan, simulation);
    network.set_inputs(executor);
    Least seconds;
    for (int round = 0; round < rounds; ++round) {
        const double start = thread_seconds();
        cost.timing_only_ms = milliseconds(run_checked(executor));
        seconds.add(thread_seconds() - start);
    }
    cost.timing_only_seconds = seconds.seconds();
}

}  // namespace

void write_network(const NetworkFile& network) {
    graph::save_graph(zoo::build_network(network.name, network.options).graph, network.path);
}

NetworkRun run_network(const NetworkFile& file) {
    restart_peak();
    const LoadedNetwork network(file);
    Simulation simulation(network.machine, {});
    GraphExecutor executor(network.graph, network.plan, simulation);
    network.set_inputs(executor);
    const double start = thread_seconds();
    const ExecutionReport report = run_checked(executor);
    NetworkRun run;
    run.seconds = thread_seconds() - start;
    run.peak_megabytes = peak_megabytes();
    const planning::GraphPlan& plan = network.plan;
    run.tensor_megabytes = static_cast<double>(plan.constant_bytes + plan.prepared_bytes +
                                               plan.variable_bytes + plan.working_bytes) *
                           1e-6;
    run.simulated_ms = milliseconds(report);
    run.commands = commands_of(report);
    return run;
}

double plan_network(const NetworkFile& file) {
    const graph::Graph graph = graph::load_graph(file.path);
    graph::validate_graph(graph);
    const Machine machine = load_machine("bm1684");
    const double start = thread_seconds();
    const planning::GraphPlan plan = planning::plan_for_machine(graph, machine);
    return thread_seconds() - start;
}

TimingCost measure_timing_cost(const NetworkFile& file, int rounds,
                               const std::function<bool(const TimingCost&)>& meets_bars) {
    const LoadedNetwork network(file);
    Simulation simulation(network.machine, {});
    GraphExecutor executor(network.graph, network.plan, simulation);
    network.set_inputs(executor);
    ActionKeeper keeper;
    simulation.add_observer(keeper);
    FunctionalMachine functional(network);
    TimingCost cost;
    const ExecutionReport report = run_checked(executor);
    cost.simulated_ms = milliseconds(report);
    cost.commands = commands_of(report);
    const std::vector<Action> actions = std::move(keeper.actions);
    functional.perform(actions);  // makes its memory resident
    models::ChipOptions blind;
    blind.with_diagnostics = false;
    const RunNetwork unwatched(network, blind);
    models::ChipOptions exact;
    exact.exact_bytes = true;
    const RunNetwork watched(network, exact);
    // Corresponds to GraphExecutor::watch_kernels(), without a kernel to name.
    watched.simulation->chip().watch_users([]() -> const void* { return nullptr; },
                                           [](const void*) { return std::string(); });
    measure_without_effects(network, rounds, cost);
    Least effects, timed, without, with_all;
    const auto on_top = [](const Least& part, const Least& whole) {
        return 100 * (whole.seconds() / part.seconds() - 1);
    };
    const auto round = [&] {
        double simulated_ms = 0;
        effects.add(functional.perform(actions));
        timed.add(perform_on_chip(actions, simulation, cost.replayed_ms));
        without.add(perform_on_chip(actions, *unwatched.simulation, simulated_ms));
        with_all.add(perform_on_chip(actions, *watched.simulation, simulated_ms));
        keeper.actions.clear();
        cost.functional_seconds = effects.seconds();
        cost.timed_seconds = timed.seconds();
        cost.overhead_percent = on_top(effects, timed);
        cost.sanitizer_percent = on_top(without, timed);
        cost.full_sanitizer_percent = on_top(without, with_all);
    };
    take_turns(rounds, round, [&] { return meets_bars(cost); });
    return cost;
}

}  // namespace okksim::sim::bench
