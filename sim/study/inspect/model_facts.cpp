// SPDX-License-Identifier: Apache-2.0
#include "sim/study/inspect/model_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "isa/base/fault.h"
#include "kernels/tosa/operator_row.h"
#include "sim/execution/custom_operator.h"
#include "sim/execution/operator_work.h"
#include "sim/graph/file_forms.h"
#include "sim/graph/operator_walk.h"
#include "sim/planning/graph_memory.h"
#include "sim/planning/machine_plan.h"
#include "sim/planning/memory_need.h"

namespace okksim::sim::inspect {
namespace {

ModelValue value_of(const graph::Tensor& tensor) {
    return {tensor.name, std::string(tosa::dtype_name(tensor.type)), tensor.shape.get()};
}

std::vector<ModelValue> values_of(const graph::Block& block,
                                  const std::vector<graph::TensorIndex>& list,
                                  const std::vector<graph::Tensor>& empties) {
    std::vector<ModelValue> values;
    for (const graph::TensorIndex index : list) values.push_back(value_of(block.tensors[index]));
    for (const graph::Tensor& empty : empties) values.push_back(value_of(empty));
    return values;
}

void count_parameters(const graph::Graph& graph, ModelFacts& facts) {
    graph::for_each_operator(graph, [&](const graph::Block& block, const graph::Operator& op) {
        ++facts.operators;
        if (op.op != tosa::OpCode::kConst) return;
        const graph::Tensor& tensor = block.output(op, 0);
        facts.parameters += graph::element_count(tensor.shape).value_or(0);
        facts.parameter_bytes += tensor.data.size();
    });
}

std::vector<KindWork> work_of(const graph::Graph& graph) {
    constexpr double kPerMultiplyAdd = 2;
    std::map<tosa::OpCode, double> operations;
    graph::for_each_operator(graph, [&](const graph::Block& block, const graph::Operator& op) {
        operations[op.op] += execution::useful_operations(block, op).value_or(0);
    });
    std::vector<KindWork> list;
    for (const auto& [op, count] : operations) {
        if (count == 0) continue;
        const bool both = tosa::multiplies_and_adds(tosa::operator_row(op).work);
        list.push_back({std::string(tosa::op_name(op)), count, both ? count / kPerMultiplyAdd : 0});
    }
    std::ranges::stable_sort(list, std::greater(), &KindWork::operations);
    return list;
}

/// Lists the operators without a kernel. Only CUSTOM operators can lack one.
void list_unsupported(const graph::Graph& graph, ModelFacts& facts) {
    graph::for_each_operator(graph, [&](const graph::Block& block, const graph::Operator& op) {
        if (op.op != tosa::OpCode::kCustom) return;
        const auto& custom = op.attributes_as<tosa::CustomAttributes>();
        if (execution::runs_custom_operator(custom)) return;
        const std::string what =
            fmt::format("CUSTOM {} of domain {}", custom.operator_name, custom.domain_name);
        const auto same = std::ranges::find(facts.unsupported, what, &UnsupportedOperator::what);
        if (same != facts.unsupported.end()) {
            ++same->count;
            return;
        }
        const std::string origin = block.origin(op);
        const std::string place =
            origin.empty() ? fmt::format("operator {} of {}", op.index, block.name) : origin;
        facts.unsupported.push_back(
            {what, place, 1,
             "give its kernel with --library (docs/how-to/add-a-custom-operator.md)"});
    });
}

/// Checks the memory. A plan gives the exact need, but takes much more time and memory than the
/// graph. Therefore it is made only if the graph might not fit.
void check_memory(const graph::Graph& graph, const Machine& machine, ModelFacts& facts) {
    // Kernels may also need constants in another form, of up to four times the bytes.
    constexpr std::uint64_t kForms = 5;
    planning::check_machine(machine);
    const planning::MemoryNeed need = planning::memory_need(graph);
    facts.memory_bytes = need.bytes();
    const std::uint64_t most = need.bytes() + (kForms - 1) * need.constant_bytes;
    if (most < planning::graph_memory(machine).bytes) return;
    try {
        const planning::GraphPlan plan = planning::plan_for_machine(graph, machine);
        facts.memory_bytes = plan.constant_bytes + plan.variable_bytes + plan.working_bytes;
    } catch (const ProgramFault& fault) {
        facts.memory_problem = fault.what();
    }
}

template <double KindWork::*member>
double sum(const std::vector<KindWork>& work) {
    return std::accumulate(work.begin(), work.end(), 0.0,
                           [](double all, const KindWork& kind) { return all + kind.*member; });
}

}  // namespace

bool ModelFacts::supported() const {
    return unsupported.empty() && violation.empty() && memory_problem.empty() &&
           missing_weights.empty();
}

double ModelFacts::multiply_adds() const { return sum<&KindWork::multiply_adds>(work); }

double ModelFacts::operations() const { return sum<&KindWork::operations>(work); }

ModelFacts facts_of(const graph::Graph& graph, const Machine& machine) {
    ModelFacts facts;
    facts.form = graph.format;
    facts.missing_weights = graph.missing_weights;
    facts.version = fmt::format("{}.{}.{}{}", graph.version.major, graph.version.minor,
                                graph.version.patch, graph.version.draft ? " draft" : "");
    facts.inputs = values_of(graph.main(), graph.main().inputs, graph::empty_inputs(graph));
    facts.outputs = values_of(graph.main(), graph.main().outputs, graph::empty_outputs(graph));
    count_parameters(graph, facts);
    try {
        graph::validate_graph(graph);
    } catch (const ProgramFault& fault) {
        facts.violation = fault.what();
        return facts;
    }
    const graph::FeatureSet features = graph::required_features(graph);
    for (int i = 0; i < graph::kFeatureCount; ++i) {
        const auto feature = static_cast<graph::Feature>(i);
        if ((features & graph::feature_bit(feature)) != 0) {
            facts.features.emplace_back(graph::feature_name(feature));
        }
    }
    list_unsupported(graph, facts);
    for (const graph::OperatorMode& mode : graph::operator_modes(graph)) {
        // Every operator has a kernel, or the runner of the graph executes it.
        const bool runs = mode.op != tosa::OpCode::kCustom || facts.unsupported.empty();
        facts.uses.push_back({mode, runs});
    }
    facts.work = work_of(graph);
    facts.emulated = planning::emulated_types(graph, machine);
    check_memory(graph, machine, facts);
    return facts;
}

ModelFacts facts_of(const graph::GraphFileError& error) {
    ModelFacts facts;
    facts.errors = error.damages();
    for (const graph::UnreadItem& item : error.unread()) {
        facts.unsupported.push_back({item.what, item.place, item.count,
                                     "replace it in the model, or convert the model with another "
                                     "version of its tool"});
    }
    return facts;
}

}  // namespace okksim::sim::inspect
