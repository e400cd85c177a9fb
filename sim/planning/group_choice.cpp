// SPDX-License-Identifier: Apache-2.0
#include "sim/planning/group_choice.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "sim/planning/block_time.h"

namespace okksim::sim::planning {
namespace {

/// A group is tried the other way if its operators take nearly the same time with and without it.
/// The difference is a share of the shorter time.
constexpr double kNearly = 0.15;
constexpr std::size_t kMostTrials = 8;

bool covers(const LayerGroup& group, std::uint32_t op) {
    return op >= group.operators.front() && op <= group.operators.back();
}

/// A plan, and the times of its blocks, each computed on first use.
struct TimedPlan {
    GraphPlan plan;
    std::map<const graph::Block*, std::optional<BlockTime>> times = {};
};

class GroupChoice {
 public:
    GroupChoice(const graph::Graph& graph, const Machine& machine, const GroupPlanner& plan_with,
                GraphPlan plan, std::vector<TriedGroup>& groups)
        : graph_(graph),
          machine_(machine),
          plan_with_(plan_with),
          without_{std::move(plan)},
          groups_(groups),
          differences_(groups.size()) {}

    GraphPlan run() {
        for (TriedGroup& each : groups_) each.kept = true;
        TimedPlan best = planned();
        while (drop_slower(best)) best = planned();
        try_others(best);
        return std::move(best.plan);
    }

 private:
    /// The plan with the groups that are kept at present.
    TimedPlan planned() const {
        std::vector<LayerGroup> kept;
        for (const TriedGroup& each : groups_) {
            if (each.kept) kept.push_back(each.group);
        }
        return {kept.empty() ? without_.plan : plan_with_(kept)};
    }

    /// Drops the groups whose operators take longer with them. If there are none, drops all groups
    /// of blocks that take longer as a whole. Returns true if a group was dropped.
    bool drop_slower(TimedPlan& with) {
        bool is_changed = false;
        const auto drop = [&](std::size_t i) { is_changed = !(groups_[i].kept = false); };
        for (std::size_t i = 0; i < groups_.size(); ++i) {
            if (!groups_[i].kept || !has_times(with, i)) continue;
            const double before = time_of_operators(without_, groups_[i].group);
            const double after = time_of_operators(with, groups_[i].group);
            differences_[i] = std::abs(after - before) / std::min(after, before);
            if (after >= before) drop(i);
        }
        for (std::size_t i = 0; !is_changed && i < groups_.size(); ++i) {
            if (!groups_[i].kept || !has_times(with, i)) continue;
            if (time_of_block(with, i) >= time_of_block(without_, i)) drop(i);
        }
        return is_changed;
    }

    /// Drops or keeps groups with small differences, the smallest first, if the block as a whole is
    /// then faster.
    void try_others(TimedPlan& best) {
        std::vector<std::size_t> order(groups_.size());
        std::iota(order.begin(), order.end(), 0);
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
            return differences_[a] < differences_[b];
        });
        order.resize(std::min(order.size(), kMostTrials));
        for (const std::size_t i : order) {
            if (differences_[i] > kNearly || !has_times(best, i)) continue;
            groups_[i].kept = !groups_[i].kept;
            TimedPlan other = planned();
            if (has_times(other, i) && time_of_block(other, i) < time_of_block(best, i)) {
                best = std::move(other);
            } else {
                groups_[i].kept = !groups_[i].kept;
            }
        }
    }

    /// The times of the group's block.
    const std::optional<BlockTime>& times_of(TimedPlan& timed, const LayerGroup& group) const {
        const auto [known, is_new] = timed.times.try_emplace(group.block);
        if (is_new) known->second = time_block(graph_, timed.plan, group.place, machine_);
        return known->second;
    }
    /// False if a block has no time: its groups are kept.
    bool has_times(TimedPlan& plan, std::size_t i) {
        const LayerGroup& group = groups_[i].group;
        return times_of(without_, group) && times_of(plan, group);
    }
    double time_of_block(TimedPlan& plan, std::size_t i) {
        return times_of(plan, groups_[i].group)->microseconds;
    }

    /// Returns the microseconds that a block spends on the operators of a group. They begin when
    /// the steps before them have ended. Copies for the next kernel and that kernel count, because
    /// its loads may overlap, unless another group covers it.
    double time_of_operators(TimedPlan& with, const LayerGroup& group) {
        const std::vector<Step>& steps = with.plan.block(group.place).steps;
        const BlockTime& time = *times_of(with, group);
        std::size_t first = steps.size();
        std::size_t end = 0;
        for (std::size_t i = 0; i < steps.size(); ++i) {
            if (!covers(group, steps[i].op)) continue;
            first = std::min(first, i);
            end = i + 1;
        }
        while (end < steps.size() && steps[end].kind == StepKind::kReorder) ++end;
        if (end < steps.size() && !is_grouped(group.place, steps[end].op)) ++end;
        return time.ends[end - 1] - (first == 0 ? 0 : time.ends[first - 1]);
    }
    bool is_grouped(tosa::BlockReference place, std::uint32_t op) const {
        return std::any_of(groups_.begin(), groups_.end(), [&](const TriedGroup& each) {
            return each.group.place == place && covers(each.group, op);
        });
    }

    const graph::Graph& graph_;
    const Machine& machine_;
    const GroupPlanner& plan_with_;
    TimedPlan without_;
    std::vector<TriedGroup>& groups_;
    std::vector<double> differences_;  ///< see kNearly; by group
};

}  // namespace

GraphPlan keep_faster_groups(const graph::Graph& graph, const Machine& machine,
                             const GroupPlanner& plan_with, GraphPlan plan,
                             std::vector<TriedGroup>& groups) {
    if (groups.empty()) return plan;
    GraphPlan chosen = GroupChoice(graph, machine, plan_with, std::move(plan), groups).run();
    chosen.tried = groups;
    return chosen;
}

}  // namespace okksim::sim::planning
