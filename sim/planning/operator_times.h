// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>

#include "sim/planning/operator_groups.h"
#include "sim/planning/plan.h"

namespace okksim::sim::planning {

/// Times of operators in a plan. A time is unknown if a kernel waits for values of the run.
class OperatorTimes {
 public:
    /// The costs of `plan` must be known.
    OperatorTimes(const graph::Graph& graph, const GraphPlan& plan) {
        for (const StepCost& cost : plan.costs) {
            const graph::Operator& op = graph.block(cost.place).operators[cost.op];
            times_[&op] += cost.microseconds;
            if (!cost.note.empty()) unknown_.insert(&op);
        }
    }

    /// Returns microseconds. An operator in another operator's kernel only has the time that it
    /// adds.
    std::optional<double> of(const graph::Operator& op) const {
        if (unknown_.count(&op) > 0) return std::nullopt;
        const auto time = times_.find(&op);
        return time == times_.end() ? 0 : time->second;
    }

    /// Returns the total time of a group.
    std::optional<double> of(const graph::Block& block, const OperatorGroup& group) const {
        double sum = 0;
        std::vector<std::uint32_t> operators{group.first};
        for (const GroupMember& member : group.followers) operators.push_back(member.op);
        for (const std::uint32_t index : operators) {
            const std::optional<double> time = of(block.operators[index]);
            if (!time) return std::nullopt;
            sum += *time;
        }
        return sum;
    }

 private:
    std::map<const graph::Operator*, double> times_;
    std::set<const graph::Operator*> unknown_;
};

}  // namespace okksim::sim::planning
