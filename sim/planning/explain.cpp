// SPDX-License-Identifier: Apache-2.0
#include "sim/planning/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "isa/base/closest_word.h"
#include "isa/base/errors.h"
#include "sim/graph/constant_operator.h"
#include "sim/planning/layer_groups.h"
#include "sim/planning/machine_plan.h"
#include "sim/planning/operator_times.h"

namespace okksim::sim::planning {
namespace {

/// An operator and its block.
struct OperatorAt {
    tosa::BlockReference place;
    std::uint32_t op = 0;  ///< position in Block::operators
};

template <typename Visit>
void each_operator(const graph::Graph& graph, const Visit& visit) {
    for (std::uint32_t r = 0; r < graph.regions.size(); ++r) {
        for (std::uint32_t b = 0; b < graph.regions[r].blocks.size(); ++b) {
            const graph::Block& block = graph.regions[r].blocks[b];
            for (std::uint32_t i = 0; i < block.operators.size(); ++i) {
                if (!graph::is_constant(block.operators[i])) visit(OperatorAt{{r, b}, i}, block);
            }
        }
    }
}

OperatorAt find_operator(const graph::Graph& graph, const std::string& which) {
    std::optional<OperatorAt> by_name, by_number;
    std::vector<std::string> names;
    each_operator(graph, [&](const OperatorAt& at, const graph::Block& block) {
        const graph::Operator& op = block.operators[at.op];
        for (const graph::TensorIndex output : op.outputs) {
            names.emplace_back(block.tensors[output].name);
            if (names.back() == which && !by_name) by_name = at;
        }
        if (std::to_string(op.index) == which && !by_number) by_number = at;
    });
    if (by_name) return *by_name;
    if (by_number) return *by_number;
    throw ConfigError("--explain " + which,
                      "is neither the output of an operator nor its number in `okksim plan`" +
                          did_you_mean(which, names));
}

const Step* step_of(const BlockPlan& plan, std::uint32_t op) {
    const auto carries_out = [op](const Step& step) {
        const auto is_op = [op](const auto& other) { return other.op == op; };
        const bool in_layer = std::ranges::any_of(step.layers, [op](const StepLayer& layer) {
            return layer.op == op || std::ranges::find(layer.members, op) != layer.members.end();
        });
        if (step.kind == StepKind::kReorder) return false;
        return in_layer || step.op == op || std::ranges::any_of(step.followers, is_op);
    };
    const auto found = std::ranges::find_if(plan.steps, carries_out);
    return found == plan.steps.end() ? nullptr : &*found;
}

/// Returns the positions of all operators of a step, ascending.
std::vector<std::uint32_t> members_of(const Step& step) {
    std::vector<std::uint32_t> all;
    for (const StepLayer& layer : step.layers) {
        all.push_back(layer.op);
        all.insert(all.end(), layer.members.begin(), layer.members.end());
    }
    if (step.layers.empty()) all.push_back(step.op);
    for (const StepFollower& follower : step.followers) all.push_back(follower.op);
    std::ranges::sort(all);
    all.erase(std::ranges::unique(all).begin(), all.end());
    return all;
}

std::optional<double> time_of(const OperatorTimes& times, const graph::Block& block,
                              const std::vector<std::uint32_t>& operators) {
    double sum = 0;
    for (const std::uint32_t op : operators) {
        const auto time = times.of(block.operators[op]);
        if (!time) return std::nullopt;
        sum += *time;
    }
    return sum;
}

constexpr const char* kUnknown = "depends on values that exist only at run time";

class Explainer {
 public:
    Explainer(const graph::Graph& graph, const Machine& machine, const GraphPlan& plan,
              const OperatorAt& at, const Step& step)
        : graph_(graph),
          machine_(machine),
          plan_(plan),
          at_(at),
          block_(graph.block(at.place)),
          operators_(members_of(step)),
          step_(step) {}

    std::vector<Alternative> run() {
        const bool is_layers = step_.kind == StepKind::kLayers;
        const bool alone = !is_layers && step_.followers.empty();
        add_kernels("each operator in a separate kernel",
                    {.fuse = false, .strided = plan_.options.strided}, alone);
        PlanOptions fused = plan_.options;
        fused.layers.clear();
        const bool shares = !is_layers && !step_.followers.empty();
        const GraphPlan apart = add_kernels("shared kernels where they are faster", fused, shares);
        add_groups(apart);
        return std::move(alternatives_);
    }

 private:
    GraphPlan add_kernels(const char* what, const PlanOptions& options, bool chosen) {
        GraphPlan plan = plan_for_machine(graph_, machine_, options);
        const auto time = time_of(OperatorTimes(graph_, plan), block_, operators_);
        alternatives_.push_back({what, time, chosen, time ? "" : kUnknown});
        return plan;
    }

    /// Adds the groups that were tried with the operator, with their slices and with others.
    void add_groups(const GraphPlan& apart) {
        const OperatorTimes times(graph_, apart);
        for (const TriedGroup& tried : plan_.tried) {
            const ChosenLayers choice = choice_of(tried.group);
            const bool holds =
                choice.place == at_.place &&
                std::ranges::find(choice.operators, at_.op) != choice.operators.end();
            if (!holds) continue;
            std::vector<ChosenLayers> choices(1, choice);
            for (const kernels::layers::SliceCounts& slices : other_slices(choice)) {
                choices.push_back({choice.place, choice.operators, slices});
            }
            const auto groups = plan_layer_groups(graph_, apart, machine_, times, choices);
            for (std::size_t i = 0; i < groups.size(); ++i) {
                add_group(choices[i], groups[i], i == 0, tried.kept);
            }
        }
    }

    void add_group(const ChosenLayers& choice, const std::optional<LayerGroup>& group,
                   bool was_tried, bool kept) {
        Alternative alternative;
        const auto& slices = choice.slices;
        alternative.what =
            fmt::format("feature maps of {} operators in local memory, {}", choice.operators.size(),
                        slices.is_whole() ? "whole"
                                          : fmt::format("{} slices of images, {} slices of rows",
                                                        slices.images, slices.rows));
        if (group) {
            alternative.microseconds = group->microseconds;
        } else {
            alternative.note = "does not fit in local memory, or a slice is empty";
        }
        alternative.chosen = was_tried && kept;
        if (was_tried && !kept) alternative.note = "slower for the whole block";
        alternatives_.push_back(std::move(alternative));
    }

    /// Returns half and double the number of row slices, and no slices.
    static std::vector<kernels::layers::SliceCounts> other_slices(const ChosenLayers& choice) {
        const auto& chosen = choice.slices;
        std::vector<kernels::layers::SliceCounts> all;
        if (!chosen.is_whole()) all.push_back({});
        if (chosen.rows > 2) all.push_back({chosen.images, chosen.rows / 2});
        all.push_back({chosen.images, chosen.rows * 2});
        return all;
    }

    const graph::Graph& graph_;
    const Machine& machine_;
    const GraphPlan& plan_;
    OperatorAt at_;
    const graph::Block& block_;
    std::vector<std::uint32_t> operators_;
    const Step& step_;
    std::vector<Alternative> alternatives_;
};

}  // namespace

Explanation explain(const graph::Graph& graph, const Machine& machine, const GraphPlan& plan,
                    const std::string& which) {
    const OperatorAt at = find_operator(graph, which);
    const graph::Block& block = graph.block(at.place);
    const graph::Operator& op = block.operators[at.op];
    const std::string origin = block.origin(op);
    Explanation explanation;
    explanation.name = std::string(tosa::op_name(op.op));
    if (!op.outputs.empty()) {
        explanation.name += ' ' + std::string(block.tensors[op.outputs[0]].name);
    }
    if (!origin.empty()) explanation.name += " (" + origin + ")";
    const Step* step = step_of(plan.block(at.place), at.op);
    if (step == nullptr) {
        explanation.step = "none: the result has the bytes of the operand";
        return explanation;
    }
    explanation.operators = members_of(*step).size();
    explanation.step = "the kernel of " + std::string(tosa::op_name(block.operators[step->op].op));
    if (!step->followers.empty()) explanation.step += ", shared";
    if (step->kind == StepKind::kLayers) explanation.step = "a layer group";
    if (step->kind == StepKind::kCondIf || step->kind == StepKind::kWhileLoop) {
        explanation.step = "control flow: the steps of its blocks";
        return explanation;
    }
    explanation.alternatives = Explainer(graph, machine, plan, at, *step).run();
    return explanation;
}

}  // namespace okksim::sim::planning
