// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>

#include "kernels/layers/layer_plan.h"
#include "kernels/layers/layer_prices.h"
#include "sim/planning/group_search.h"
#include "sim/planning/layer_binding.h"
#include "sim/planning/operator_times.h"
#include "sim/planning/plan.h"
#include "sim/pricing/machine_host.h"

namespace okksim::sim::planning {

/// A plan of a group, and its time.
struct PricedPlan {
    kernels::layers::LayerPlan layers;
    double microseconds = 0;  ///< from idle, with the reorder before it
    bool is_ordered = false;  ///< takes a channel-first copy of its first operand
};

/// A plan of a group within a time limit, if the search finds one.
struct Priced {
    std::optional<PricedPlan> plan;
    bool fits = false;  ///< kernels::layers::LayerAnswer::fits
};

/// The time of a group that the shortest search finds. Without a time, it is above a limit or the
/// group does not fit.
struct GroupTime {
    std::optional<double> microseconds;
    bool fits = false;  ///< Priced::fits
};

/// A sliced group and its time.
struct SlicedTime {
    kernels::layers::SliceCounts slices;
    double microseconds = 0;
};

/// Plans and times of the groups that operators of one block can form. Equal groups are planned
/// once.
class GroupPricer {
 public:
    using Operators = std::span<const std::uint32_t>;  ///< ascending positions in the block
    static constexpr double kNoLimit = std::numeric_limits<double>::infinity();

    /// `plan` is the plan of the block without groups, and `times` are its operators' times. Values
    /// of groups are placed from the address `somewhere` up.
    GroupPricer(const graph::Block& block, const GraphPlan& plan, tosa::BlockReference place,
                pricing::MachineHost& host, const OperatorTimes& times, std::uint64_t somewhere);

    /// Forgets earlier prices. Each request to time_of() counts against the search's budget.
    void begin(const GroupSearch& search);

    bool can_join(std::uint32_t op) const { return binding_.can_join(op); }
    /// True if the operator runs in a kernel that began earlier. The kernel's first operator has
    /// its time.
    bool begins_inside(std::uint32_t op) const { return *times_.of(block_.operators[op]) == 0; }
    /// Returns the microseconds of the operators in separate kernels.
    double microseconds_apart(Operators operators) const;

    /// Returns the time of a group, unless it is above `limit`.
    GroupTime time_of(Operators operators, const kernels::layers::SliceCounts& slices,
                      double limit);
    /// Returns the fewest slices that fit, or double their number if that is faster. A thorough
    /// search doubles the number further. Returns no value if all take longer than `limit`.
    std::optional<SlicedTime> best_slices(Operators operators, double limit);
    /// Returns the faster plan: with the first operand as stored, or with a channel-first copy. The
    /// copy's time is included. Plans that take longer than `limit` are left out.
    Priced plan_of(Operators operators, const kernels::layers::SliceCounts& slices,
                   kernels::layers::LayerSearch search, double limit = kNoLimit);
    /// Returns the microseconds to load feature maps before the first work of a plan.
    double first_load(Operators operators, const PricedPlan& plan);

    /// Returns the group of a plan, after check_layers() has proved the plan.
    LayerGroup made(Operators operators, PricedPlan plan) const;
    /// Returns the group of a choice, or no value if its operators cannot form one.
    std::optional<LayerGroup> group_of(const ChosenLayers& choice);
    const kernels::DeviceTensor& result_of(Operators operators) const {
        return binding_.result_of(operators);
    }

 private:
    bool may_order(Operators operators) const;
    Priced plan_in_order(Operators operators, const kernels::layers::SliceCounts& slices,
                         kernels::layers::LayerSearch search, bool is_ordered,
                         double limit = kNoLimit);
    Priced priced(Operators operators, const kernels::layers::SliceCounts& slices,
                  kernels::layers::LayerSearch search, bool is_ordered, double limit);

    const graph::Block& block_;
    pricing::MachineHost& host_;
    kernels::layers::LayerPrices prices_;
    const OperatorTimes& times_;
    std::map<std::uint32_t, double> reorders_;  ///< microseconds to reorder operands, by operator
    LayerBinding binding_;
    std::unordered_map<std::string, GroupTime> known_;  ///< see time_of()
    GroupSearch search_;
};

}  // namespace okksim::sim::planning
