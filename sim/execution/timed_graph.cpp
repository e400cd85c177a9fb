// SPDX-License-Identifier: Apache-2.0
#include "sim/execution/timed_graph.h"

#include <fmt/format.h>

#include "firmware/leave/kernel_runner.h"
#include "sim/execution/executor.h"
#include "sim/execution/graph_firmware.h"
#include "sim/execution/graph_limits.h"
#include "sim/graph/operator_walk.h"
#include "sim/planning/decide.h"

namespace okksim::sim::execution {
namespace {

/// A machine without data, and the firmware of a graph on it.
class TimedRun : private RunSurroundings {
 public:
    TimedRun(const graph::Graph& graph, const planning::GraphPlan& plan, const Machine& machine,
             const TimedRunOptions& options)
        : graph_(graph),
          options_(options),
          machine_(machine),
          constants_(planning::constants_of(plan)),
          port_(machine.params, constants_, options.values),
          profile_(machine.params),
          accountant_(machine.params),
          firmware_(graph, plan, profile_, *this) {
        // The profile must observe commands before the accountant does.
        port_.timing().add_observer(profile_);
        port_.timing().add_observer(accountant_);
        accountant_.add_listener(profile_.cutter());
    }

    ExecutionReport run() {
        ExecutionReport report = empty_report(machine_.params);
        profile_.clear();
        if (options_.starting) {
            options_.starting({{machine_,
                                [this](models::CommandObserver& observer) {
                                    port_.timing().add_observer(observer);
                                },
                                nullptr},
                               profile_});
        }
        report.fault = launch(report);
        report.findings = std::move(findings_);
        report.account = accountant_.launches().back();
        report.operators = profile_.records_with_shares();
        report.sections = profile_.sections();
        report.rest = profile_.cutter().rest();
        return report;
    }

 private:
    models::Picoseconds now() const override { return port_.timing().time(); }
    graph::HostTensor value(const kernels::DeviceTensor& tensor) override {
        const auto count = static_cast<std::size_t>(tensor.count());
        const std::size_t bytes =
            count * static_cast<std::size_t>(kernels::stored_bytes(tensor.type));
        const auto* data = static_cast<const std::byte*>(port_.system_pointer(tensor.address));
        return graph::make_host_tensor(tensor.type,
                                       {tensor.dims.begin(), tensor.dims.begin() + tensor.rank},
                                       std::vector<std::byte>(data, data + bytes));
    }
    void custom_operator(bool runs) override { port_.set_custom(runs); }

    std::optional<FaultRecord> launch(ExecutionReport& report) {
        firmware::ContextOptions options = context_options(machine_);
        set_limits(graph_, options_.limits, options);
        if (options_.looks_for_mistakes) {
            options.report = [this](Finding finding) {
                // The kernels of operators are written for the API reference.
                if (finding.kind != FindingKind::kVendor) findings_.push_back(std::move(finding));
            };
        }
        firmware::Context context(port_, options);
        port_.timing().begin_launch();
        report.start = now();
        const auto kernel = [](const void* self) {
            auto* run = const_cast<TimedRun*>(static_cast<const TimedRun*>(self));
            run->firmware_.run();
        };
        auto fault = firmware::run_kernel(context, kernel, this, firmware::DeliveryMode::kThrow);
        port_.timing().end_launch();
        report.end = now();
        if (fault) advise_for_graph(options_.limits, *fault);
        if (fault && fault->function == kRunWithoutData) name_operator(*fault);
        return fault;
    }

    /// Adds the operator that was running to the fault's argument.
    void name_operator(FaultRecord& fault) const {
        const OperatorRecord* const record = profile_.current();
        if (record == nullptr) return;
        fault.argument +=
            fmt::format(" of operator {} {}", record->op_index, operator_kind(*record));
    }

    const graph::Graph& graph_;
    const TimedRunOptions& options_;
    const Machine& machine_;
    pricing::KnownMemory constants_;
    mutable TimedPort port_;
    OperatorProfile profile_;
    trace::Accountant accountant_;
    GraphFirmware firmware_;
    std::vector<Finding> findings_;
};

/// Returns the values that the control processor loads in a run with data. They are the same on
/// every machine.
LoadedValues values_of_run(const graph::Graph& graph, const planning::GraphPlan& plan,
                           const Machine& machine, const InputValues& input) {
    LoadedValues values;
    Simulation simulation(machine, {});
    GraphExecutor executor(graph, plan, simulation);
    executor.trust_kernels();
    for (std::size_t i = 0; i < graph.main().inputs.size(); ++i) executor.set_input(i, input(i));
    executor.note_loads(values);
    (void)executor.run();
    return values;
}

/// True if a run without data has ended because it needs values of a run. A CUSTOM operator has
/// none.
bool lacks_values(const ExecutionReport& report, const graph::Graph& graph) {
    if (!report.fault || report.fault->function != kRunWithoutData) return false;
    bool has_custom = false;
    graph::for_each_operator(graph, [&](const graph::Block&, const graph::Operator& op) {
        has_custom |= op.op == tosa::OpCode::kCustom;
    });
    return !has_custom;
}

}  // namespace

ExecutionReport time_graph(const graph::Graph& graph, const planning::GraphPlan& plan,
                           const Machine& machine, const TimedRunOptions& options) {
    return TimedRun(graph, plan, machine, options).run();
}

ExecutionReport time_with_values(const graph::Graph& graph, const planning::GraphPlan& plan,
                                 const Machine& machine, TimedRunOptions options,
                                 const InputValues& input, std::optional<LoadedValues>& values) {
    options.values = values ? &*values : nullptr;
    ExecutionReport report = time_graph(graph, plan, machine, options);
    if (values || !lacks_values(report, graph)) return report;
    values = values_of_run(graph, plan, machine, input);
    options.values = &*values;
    return time_graph(graph, plan, machine, options);
}

}  // namespace okksim::sim::execution
