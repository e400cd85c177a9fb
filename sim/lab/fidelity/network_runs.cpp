// SPDX-License-Identifier: Apache-2.0
#include "sim/lab/fidelity/network_runs.h"

#include "isa/base/fault.h"
#include "models/mcu/host_params.h"
#include "models/mcu/mcu_params.h"
#include "sim/execution/executor.h"
#include "sim/planning/machine_plan.h"

namespace okksim::sim::fidelity {

std::string precision_name(zoo::Precision precision) {
    return precision == zoo::Precision::kInt8 ? "int8" : "fp32";
}

std::vector<double> published_ms(const CsvTable& table, const PublishedNetwork& network) {
    const std::size_t chip = table.column("chip"), model = table.column("model"),
                      precision = table.column("precision"), batch = table.column("batch"),
                      ms = table.column("ms_per_image"), what = table.column("what_is_measured");
    std::vector<double> times;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        if (table.text(row, chip) == "BM1684" &&
            table.text(row, model).starts_with(network.model) &&
            table.text(row, precision) == precision_name(network.precision) &&
            table.text(row, batch) == std::to_string(network.batch) &&
            table.text(row, what).find("bmrt_test") != std::string::npos) {
            times.push_back(table.number(row, ms));
        }
    }
    return times;
}

double simulated_ms(const PublishedNetwork& network, Machine machine, models::CommandIssue issue) {
    const zoo::ZooModel model = zoo::build_network(
        network.network, {.precision = network.precision, .batch = network.batch});
    machine.params.mcu->issue = static_cast<std::int64_t>(issue);
    const planning::GraphPlan plan = planning::plan_for_machine(model.graph, machine);
    models::ChipOptions chip;
    chip.with_data = false;
    chip.with_diagnostics = false;
    Simulation simulation(machine, chip);
    execution::GraphExecutor executor(model.graph, plan, simulation);
    const execution::ExecutionReport report = executor.run();
    if (report.fault) throw ProgramFault(*report.fault);
    const models::HostParams& host = *machine.params.host;
    return (report.end - report.start).microseconds() * 1e-3 +
           (host.launch_nanoseconds + host.sync_nanoseconds) * 1e-6;
}

}  // namespace okksim::sim::fidelity
