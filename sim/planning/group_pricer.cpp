// SPDX-License-Identifier: Apache-2.0
#include "sim/planning/group_pricer.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <set>
#include <utility>

#include "sim/planning/key_writer.h"
#include "sim/planning/layer_check.h"

namespace okksim::sim::planning {
namespace {

using kernels::layers::LayerSearch;
using kernels::layers::SliceCounts;

/// Number of times that a thorough search doubles slices beyond the fewest that fit.
constexpr int kThoroughDoublings = 3;
/// Ratio of times from a short search above which the slower order of the operand is not searched
/// further.
constexpr double kClose = 1.06;
/// Limits of times: the least, in microseconds, and the ratio of one to the next.
constexpr double kLeastLimit = 1, kLimitStep = 1.0905;

std::map<std::uint32_t, double> reorder_times(const GraphPlan& plan, tosa::BlockReference place) {
    std::map<std::uint32_t, double> times;
    std::set<std::uint32_t> done;  // later reorders are of results
    for (const StepCost& cost : plan.costs) {
        if (cost.place != place) continue;
        if (cost.kernel != kReorder) done.insert(cost.op);
        if (!done.contains(cost.op)) times[cost.op] += cost.microseconds;
    }
    return times;
}

/// Doubles the number of slices: images first, then rows. Returns false at the limit.
bool more_slices(SliceCounts& slices, std::int32_t images, std::int32_t rows) {
    if (slices.images < images) {
        slices.images = std::min(2 * slices.images, images);
        return true;
    }
    slices.rows *= 2;
    return slices.rows <= rows;
}

bool is_shorter(const std::optional<PricedPlan>& plan, const std::optional<PricedPlan>& other) {
    return plan && (!other || plan->microseconds < other->microseconds);
}
bool is_close(const std::optional<PricedPlan>& plan, const std::optional<PricedPlan>& other) {
    return !plan || !other || plan->microseconds < kClose * other->microseconds;
}

/// A time in the planner's unit, at least 0.
kernels::Duration duration_of(double microseconds) {
    using Exact = std::chrono::duration<double, kernels::Duration::period>;
    const Exact exact = std::chrono::duration<double, std::micro>(std::max(0.0, microseconds));
    return exact < Exact(kernels::Duration::max())
               ? kernels::Duration(static_cast<std::int64_t>(std::ceil(exact.count())))
               : kernels::Duration::max();
}

}  // namespace

GroupPricer::GroupPricer(const graph::Block& block, const GraphPlan& plan,
                         tosa::BlockReference place, pricing::MachineHost& host,
                         const OperatorTimes& times, std::uint64_t somewhere)
    : block_(block),
      host_(host),
      prices_(host),
      times_(times),
      reorders_(reorder_times(plan, place)),
      binding_(block, plan.block(place), host.machine(), times, somewhere) {}

void GroupPricer::begin(const GroupSearch& search) {
    search_ = search;
    known_.clear();
}

double GroupPricer::microseconds_apart(Operators operators) const {
    double apart = 0;
    for (const std::uint32_t index : operators) apart += *times_.of(block_.operators[index]);
    return apart;
}

/// Limits are rounded up to powers of kLimitStep, so that the answer does not depend on earlier
/// requests.
GroupTime GroupPricer::time_of(Operators operators, const SliceCounts& slices, double limit) {
    if (!search_.budget->spend()) return {};
    const double least = std::max(limit, kLeastLimit);
    const double step = std::ceil(std::log(least / kLeastLimit) / std::log(kLimitStep));
    KeyWriter key;
    key.put(slices);
    key.put(step);
    key.put(may_order(operators) ? reorders_.at(operators.front()) : 0);
    key.put(binding_.key_of(operators));
    const auto [known, is_new] = known_.try_emplace(key.take());
    if (is_new) {
        const Priced priced = plan_of(operators, slices, LayerSearch::kFirst,
                                      kLeastLimit * std::pow(kLimitStep, step));
        known->second.fits = priced.fits;
        if (priced.plan) known->second.microseconds = priced.plan->microseconds;
    }
    GroupTime time = known->second;
    if (time.microseconds && *time.microseconds > limit) time.microseconds.reset();
    return time;
}

std::optional<SlicedTime> GroupPricer::best_slices(Operators operators, double limit) {
    std::optional<SlicedTime> best;
    bool fits = false;
    int left = search_.cuts == CutSearch::kThorough ? kThoroughDoublings : 1;
    const kernels::DeviceTensor& result = binding_.result_of(operators);
    for (SliceCounts slices; more_slices(slices, result.dims[0], result.dims[1]);) {
        const GroupTime time = time_of(operators, slices, best ? best->microseconds : limit);
        if (fits) --left;
        if (time.microseconds && (!best || *time.microseconds < best->microseconds)) {
            best = {slices, *time.microseconds};
        }
        fits = fits || time.fits;
        if (fits && left == 0) return best;
    }
    return best;
}

Priced GroupPricer::plan_of(Operators operators, const SliceCounts& slices, LayerSearch search,
                            double limit) {
    if (!may_order(operators)) return priced(operators, slices, search, false, limit);
    const auto of_order = [&](LayerSearch own, bool is_ordered) {
        return plan_in_order(operators, slices, own, is_ordered, limit);
    };
    Priced as_is = of_order(LayerSearch::kFirst, false);
    Priced ordered = of_order(LayerSearch::kFirst, true);
    const bool fits = as_is.fits || ordered.fits;
    if (search != LayerSearch::kFirst) {
        // A longer search continues with both variants unless they are far apart.
        const bool tries_ordered = is_close(ordered.plan, as_is.plan);
        if (is_close(as_is.plan, ordered.plan)) as_is = of_order(search, false);
        if (tries_ordered) ordered = of_order(search, true);
    }
    return {is_shorter(ordered.plan, as_is.plan) ? std::move(ordered.plan) : std::move(as_is.plan),
            fits};
}

/// True if the first operand may be copied: its kernel copies it as well.
bool GroupPricer::may_order(Operators operators) const {
    const graph::Operator& first = block_.operators[operators.front()];
    return reorders_.contains(operators.front()) &&
           block_.input(first, 0).type == tosa::DType::kFp32;
}

/// Includes the time of the copy, if there is one.
Priced GroupPricer::plan_in_order(Operators operators, const SliceCounts& slices,
                                  LayerSearch search, bool is_ordered, double limit) {
    if (is_ordered && !may_order(operators)) return {};
    const double copy = is_ordered ? reorders_.at(operators.front()) : 0;
    Priced answer = priced(operators, slices, search, is_ordered, limit - copy);
    if (answer.plan) answer.plan->microseconds += copy;
    return answer;
}

Priced GroupPricer::priced(Operators operators, const SliceCounts& slices, LayerSearch search,
                           bool is_ordered, double limit) {
    kernels::layers::LayerAnswer answer =
        kernels::layers::plan_layers(binding_.bind(operators, is_ordered).call(), slices, search,
                                     prices_, search_.halvings, duration_of(limit));
    if (!answer.plan) return {std::nullopt, answer.fits};
    const double time = std::chrono::duration<double, std::micro>(answer.plan->time).count();
    return {PricedPlan{*std::move(answer.plan), time, is_ordered}, true};
}

double GroupPricer::first_load(Operators operators, const PricedPlan& plan) {
    const BoundLayers bound = binding_.bind(operators, plan.is_ordered);
    kernels::Duration sum{};
    for (std::int32_t i = 0; i < plan.layers.sections.front().transfers; ++i) {
        const auto& transfer = plan.layers.transfers[static_cast<std::size_t>(i)];
        if (transfer.kind != kernels::layers::TransferKind::kLoadMap) continue;
        sum += prices_.of(bound.call(), plan.layers, transfer);
    }
    return std::chrono::duration<double, std::micro>(sum).count();
}

LayerGroup GroupPricer::made(Operators operators, PricedPlan plan) const {
    check_layers(binding_.bind(operators, plan.is_ordered).call(), plan.layers, host_.machine());
    LayerGroup group = binding_.group_of(operators, plan.is_ordered);
    group.microseconds = plan.microseconds;
    group.decisions.add(kLayersDecision, std::move(plan.layers));
    return group;
}

std::optional<LayerGroup> GroupPricer::group_of(const ChosenLayers& choice) {
    const Operators operators(choice.operators);
    const SliceCounts& slices = choice.slices;
    search_.halvings = choice.halvings;
    const bool all_join = std::all_of(operators.begin(), operators.end(),
                                      [&](std::uint32_t op) { return binding_.can_join(op); });
    const kernels::DeviceTensor& result = binding_.result_of(operators);
    const bool can_cut =
        slices.is_whole() || (slices.images <= result.dims[0] && slices.rows <= result.dims[1]);
    if (!all_join || !can_cut) return std::nullopt;
    std::optional<PricedPlan> plan =
        choice.takes_copy ? plan_in_order(operators, slices, choice.search, *choice.takes_copy).plan
                          : plan_of(operators, slices, choice.search).plan;
    if (!plan) return std::nullopt;
    return made(operators, *std::move(plan));
}

}  // namespace okksim::sim::planning
