// SPDX-License-Identifier: Apache-2.0
// The added operator is validated, planned and run, shares a kernel or is a layer of a group, and
// its work is counted.
#include <cstdio>
#include <cstring>

#include "sim/execution/executor.h"
#include "sim/graph/builder.h"
#include "sim/graph/validate/validate.h"
#include "sim/planning/machine_plan.h"

using namespace okksim;
using namespace okksim::sim;

constexpr std::size_t kCount = 30;
const graph::Shape shape{1, 2, 3, 5};

bool run(const graph::Graph& graph, const planning::PlanEffort& effort, std::size_t records) {
    const Machine machine = load_machine("bm1684");
    const planning::GraphPlan plan = planning::plan_for_machine(graph, machine, effort);
    Simulation simulation(machine, {});
    execution::GraphExecutor executor(graph, plan, simulation);
    std::vector<std::byte> bytes(kCount * sizeof(float));
    for (std::size_t i = 0; i < kCount; ++i) {
        const float value = static_cast<float>(i) + 0.5F;
        std::memcpy(&bytes[i * sizeof value], &value, sizeof value);
    }
    executor.set_input(0, graph::make_host_tensor(tosa::DType::kFp32, shape, bytes));
    const execution::ExecutionReport report = executor.run();
    if (report.fault || report.operators.size() != records) {
        std::printf("%zu records instead of %zu\n", report.operators.size(), records);
        return false;
    }
    // One operation per result of each operator.
    double operations = 0;
    for (const auto& record : report.operators) operations += record.operations.value_or(-1);
    if (operations != 2.0 * kCount) {
        std::printf("%g operations\n", operations);
        return false;
    }
    const graph::HostTensor output = executor.output(0);
    for (std::size_t i = 0; i < kCount; ++i) {
        float value = 0;
        std::memcpy(&value, &output.data[i * sizeof value], sizeof value);
        if (value == static_cast<float>(i * i)) continue;
        std::printf("element %zu is %g\n", i, value);
        return false;
    }
    return true;
}

int main() {
    graph::GraphBuilder builder;
    const auto a = builder.input(tosa::DType::kFp32, shape);
    const auto floor =
        builder.add(tosa::OpCode::kFloor, tosa::NoAttributes{}, {a}, tosa::DType::kFp32, shape);
    builder.output(builder.add(tosa::OpCode::kSquare, tosa::NoAttributes{}, {floor},
                               tosa::DType::kFp32, shape));
    const graph::Graph graph = builder.finish();
    graph::validate_graph(graph);

    // One kernel for both operators, or a group with two layers.
    return run(graph, {.layers = false}, 1) && run(graph, {}, 3) ? 0 : 1;
}
