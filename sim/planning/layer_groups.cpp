// SPDX-License-Identifier: Apache-2.0
#include "sim/planning/layer_groups.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <utility>

#include "kernels/layers/layer_prices.h"
#include "sim/device/chip_device.h"
#include "sim/graph/constant_operator.h"
#include "sim/planning/graph_memory.h"
#include "sim/planning/layer_binding.h"
#include "sim/planning/layer_check.h"
#include "sim/pricing/machine_host.h"

namespace okksim::sim::planning {
namespace {

using kernels::layers::LayerPlan;
using kernels::layers::LayerSearch;
using kernels::layers::SliceCounts;

/// Chains of at most so many operators are also tried in slices where whole maps fit: transfers of
/// one slice overlap with the work of the next, and windows of few layers add few rows to slices.
constexpr std::size_t kFewOperators = 32;
/// Operators of a group in slices, at most.
constexpr std::size_t kMostSliced = 128;

/// What reorders take of operands that the plan copies into another order, by operator.
using ReorderTimes = std::map<std::uint32_t, double>;

ReorderTimes reorder_times(const GraphPlan& plan, tosa::BlockReference place) {
    ReorderTimes times;
    std::set<std::uint32_t> done;  // reorders behind these are of results
    for (const StepCost& cost : plan.costs) {
        if (cost.place != place) continue;
        if (cost.kernel != kReorder) done.insert(cost.op);
        if (!done.contains(cost.op)) times[cost.op] += cost.microseconds;
    }
    return times;
}

/// A plan of some operators.
struct PricedPlan {
    LayerPlan layers;
    double microseconds = 0;  ///< from idle, with a reorder before
    bool is_ordered = false;  ///< takes what it begins with channel first
};

/// Ends of groups in slices lie apart by this part of their operators; numbers of slices that are
/// tried beyond the fewest that fit.
constexpr std::size_t kGrowth = 2, kThoroughGrowth = 8;
constexpr int kThoroughDoublings = 3;

/// A group that fits as a whole is also tried with its beginning in slices where its first maps
/// take this part of its time to arrive.
constexpr double kLongLoad = 0.02;
/// Operators of such a beginning, at most: those on the large maps.
constexpr std::size_t kMostBeginning = 12;
/// A first plan that takes so many times as long as another one will not become the faster one.
constexpr double kClose = 1.06;

/// The layer groups of one block.
class LayerGrouping {
 public:
    LayerGrouping(const graph::Block& block, const BlockPlan& plan, pricing::MachineHost& host,
                  const OperatorTimes& times, ReorderTimes reorders, std::uint64_t somewhere)
        : block_(block),
          host_(host),
          prices_(host),
          times_(times),
          reorders_(std::move(reorders)),
          binding_(block, plan, host.machine(), times, somewhere) {}

    std::vector<LayerGroup> run(CutSearch search, SearchBudget& budget, int halvings) {
        cuts_ = search;
        halvings_ = halvings;
        budget_ = &budget;
        std::vector<LayerGroup> groups;
        std::vector<std::uint32_t> chain;
        for (std::uint32_t i = 0; i <= block_.operators.size(); ++i) {
            if (i < block_.operators.size() && graph::is_constant(block_.operators[i])) continue;
            if (i < block_.operators.size() && binding_.can_join(i)) {
                chain.push_back(i);
                continue;
            }
            cut(chain, groups);
            chain.clear();
        }
        return groups;
    }

    /// The group of some operators, ascending; nothing when they cannot be one.
    std::optional<LayerGroup> group_of(const ChosenLayers& choice) {
        const std::span<const std::uint32_t> operators(choice.operators);
        const SliceCounts& slices = choice.slices;
        halvings_ = choice.halvings;
        const bool all_join = std::all_of(operators.begin(), operators.end(),
                                          [&](std::uint32_t op) { return binding_.can_join(op); });
        const kernels::DeviceTensor& result = binding_.result_of(operators);
        const bool can_cut =
            slices.is_whole() || (slices.images <= result.dims[0] && slices.rows <= result.dims[1]);
        if (!all_join || !can_cut) return std::nullopt;
        std::optional<PricedPlan> plan =
            choice.takes_copy ? plan_in_order(operators, slices, choice.search, *choice.takes_copy)
                              : plan_of(operators, slices, choice.search);
        if (!plan) return std::nullopt;
        return made(operators, *std::move(plan));
    }

 private:
    /// What is best done from a place in a chain on.
    struct Choice {
        std::size_t end = 0;  ///< where the next choice begins
        SliceCounts slices;
        bool grouped = false;  ///< a layer group; else kernels of their own
        double saved = 0;      ///< us, to the end of the chain
    };

    /// Of a group: an operator alone keeps no map, but its parts may be cheaper than a kernel's
    /// tiles, or read and write another order at once.
    std::size_t least_operators() const { return cuts_ == CutSearch::kWhereNeeded ? 2 : 1; }

    /// The groups that save most together.
    void cut(const std::vector<std::uint32_t>& chain, std::vector<LayerGroup>& groups) {
        if (chain.size() < least_operators()) return;
        const std::span<const std::uint32_t> all(chain);
        if (chain.size() > kFewOperators && cuts_ == CutSearch::kWhereNeeded) {
            if (const auto whole = candidate(all)) return take_whole(all, *whole, groups);
        }
        const std::vector<Choice> choices = choose(all);
        if (is_better_whole(all, choices.front())) return take(all, {}, groups);
        for (std::size_t at = 0; at < chain.size(); at = choices[at].end) {
            if (!choices[at].grouped) continue;
            take(all.subspan(at, choices[at].end - at), choices[at].slices, groups);
        }
    }

    /// How a chain that fits as a whole begins: where the rest of it does, and what comes before.
    struct Beginning {
        std::size_t end = 0;
        SliceCounts slices;
        bool grouped = false;  ///< a layer group in slices; else kernels of their own
    };

    /// A chain that fits as a whole, less its beginning where that is faster by itself.
    void take_whole(std::span<const std::uint32_t> chain, const PricedPlan& whole,
                    std::vector<LayerGroup>& groups) {
        const Beginning beginning = beginning_of(chain, whole);
        if (beginning.grouped) take(chain.first(beginning.end), beginning.slices, groups);
        take(chain.subspan(beginning.end), {}, groups);
    }

    Beginning beginning_of(std::span<const std::uint32_t> chain, const PricedPlan& whole) {
        Beginning best;
        double least = whole.microseconds;
        const auto consider = [&](const Beginning& beginning, double microseconds) {
            if (beginning.end + 1 >= chain.size()) return;
            const auto rest = candidate(chain.subspan(beginning.end));
            if (!rest || microseconds + rest->microseconds >= least) return;
            least = microseconds + rest->microseconds;
            best = beginning;
        };
        // Kernels may lay out an input of few channels as layers cannot.
        const std::size_t first = end_of_kernel(chain, 1);
        consider({first, {}, false}, microseconds_apart(chain.first(first)));
        // The loads of slices overlap with work.
        if (first_load(chain, whole) < kLongLoad * whole.microseconds) return best;
        for (std::size_t count = 2; count <= kMostBeginning;) {
            const std::size_t end = end_of_kernel(chain, count);
            const auto plan = sliced_plan(chain.first(end));
            if (plan && plan->microseconds < least) {
                consider({end, plan->layers.slices, true}, plan->microseconds);
            }
            count = end + std::max<std::size_t>(1, end / kGrowth);
        }
        return best;
    }

    /// us that maps take to arrive before the first work.
    double first_load(std::span<const std::uint32_t> operators, const PricedPlan& plan) {
        const BoundLayers bound = binding_.bind(operators, plan.is_ordered);
        kernels::Duration sum{};
        for (std::int32_t i = 0; i < plan.layers.sections.front().transfers; ++i) {
            const auto& transfer = plan.layers.transfers[static_cast<std::size_t>(i)];
            if (transfer.kind != kernels::layers::TransferKind::kLoadMap) continue;
            sum += prices_.of(bound.call(), plan.layers, transfer);
        }
        return std::chrono::duration<double, std::micro>(sum).count();
    }

    /// Choices are priced by the first places that fit; a whole chain may have better ones. Without
    /// all cuts no chain of many operators that fits comes to its choices.
    bool is_better_whole(std::span<const std::uint32_t> chain, const Choice& first) {
        if (cuts_ == CutSearch::kWhereNeeded || chain.size() <= kFewOperators) return false;
        const auto whole = candidate(chain, {}, LayerSearch::kFastest);
        return whole && microseconds_apart(chain) - whole->microseconds > first.saved;
    }

    void take(std::span<const std::uint32_t> operators, const SliceCounts& slices,
              std::vector<LayerGroup>& groups) {
        std::optional<PricedPlan> plan = plan_of(operators, slices, LayerSearch::kFastest);
        if (is_thorough()) improve(operators, *plan);
        if (plan->microseconds >= microseconds_apart(operators)) return;
        groups.push_back(made(operators, *std::move(plan)));
    }

    /// Other numbers of slices around those chosen, with more sizes of parts.
    void improve(std::span<const std::uint32_t> operators, PricedPlan& best) {
        const kernels::DeviceTensor& result = binding_.result_of(operators);
        const SliceCounts chosen = best.layers.slices;
        const std::int32_t around[] = {chosen.rows, chosen.rows - 1, chosen.rows + 1,
                                       chosen.rows + chosen.rows / 2, 2 * chosen.rows};
        for (const std::int32_t rows : around) {
            if (rows < 1 || rows > result.dims[1]) continue;
            auto plan = candidate(operators, {chosen.images, rows}, LayerSearch::kThorough);
            if (plan && plan->microseconds < best.microseconds) best = *std::move(plan);
        }
    }

    /// The group of a plan, which is proved.
    LayerGroup made(std::span<const std::uint32_t> operators, PricedPlan plan) const {
        check_layers(binding_.bind(operators, plan.is_ordered).call(), plan.layers,
                     host_.machine());
        LayerGroup group = binding_.group_of(operators, plan.is_ordered);
        group.microseconds = plan.microseconds;
        group.decisions.add(kLayersDecision, std::move(plan.layers));
        return group;
    }

    /// From every place on at which a kernel begins, from the last to the first.
    std::vector<Choice> choose(std::span<const std::uint32_t> chain) {
        std::vector<Choice> choices(chain.size() + 1);
        std::size_t fits = chain.size();  // whole maps do up to here
        std::size_t next = chain.size();
        for (std::size_t at = chain.size(); at-- > 0;) {
            if (at > 0 && begins_inside(chain[at])) continue;
            Choice best;
            best.end = next;
            best.saved = choices[next].saved;
            const auto consider = [&](std::size_t end, const std::optional<PricedPlan>& plan) {
                const auto own = chain.subspan(at, end - at);
                const double saved =
                    microseconds_apart(own) - plan->microseconds + choices[end].saved;
                if (saved > best.saved) best = {end, plan->layers.slices, true, saved};
            };
            while (fits >= at + least_operators()) {
                if (const auto plan = candidate(chain.subspan(at, fits - at))) {
                    consider(fits, plan);
                    break;
                }
                fits = begin_of_kernel(chain, fits - 1);
            }
            const std::size_t growth = is_thorough() ? kThoroughGrowth : kGrowth;
            for (std::size_t count = least_operators(); count <= kMostSliced;) {
                const std::size_t end = end_of_kernel(chain, at + count);
                const auto plan = sliced_plan(chain.subspan(at, end - at));
                if (plan) consider(end, plan);
                if (end == chain.size()) break;
                count = end - at + std::max<std::size_t>(1, (end - at) / growth);
            }
            choices[at] = best;
            next = at;
        }
        return choices;
    }

    /// Part of what a kernel does that began before: its time stands at its first operator.
    bool begins_inside(std::uint32_t op) const { return *times_.of(block_.operators[op]) == 0; }
    std::size_t begin_of_kernel(std::span<const std::uint32_t> chain, std::size_t at) const {
        while (at > 0 && begins_inside(chain[at])) --at;
        return at;
    }
    std::size_t end_of_kernel(std::span<const std::uint32_t> chain, std::size_t at) const {
        while (at < chain.size() && begins_inside(chain[at])) ++at;
        return std::min(at, chain.size());
    }

    /// In the fewest slices that fit, or in twice as many where that is faster; a thorough search
    /// goes on to doubt more.
    std::optional<PricedPlan> sliced_plan(std::span<const std::uint32_t> operators) {
        std::optional<PricedPlan> best;
        int left = is_thorough() ? kThoroughDoublings : 1;
        const kernels::DeviceTensor& result = binding_.result_of(operators);
        for (SliceCounts slices; more_slices(slices, result.dims[0], result.dims[1]);) {
            std::optional<PricedPlan> plan = candidate(operators, slices);
            if (best) --left;
            if (plan && (!best || plan->microseconds < best->microseconds)) best = std::move(plan);
            if (best && left == 0) return best;
        }
        return best;
    }

    /// Twice as many: of images first. False when there are no more.
    static bool more_slices(SliceCounts& slices, std::int32_t images, std::int32_t rows) {
        if (slices.images < images) {
            slices.images = std::min(2 * slices.images, images);
            return true;
        }
        slices.rows *= 2;
        return slices.rows <= rows;
    }

    /// On what it begins with as it lies, or on a copy that lies channel first where that and the
    /// copy take less.
    std::optional<PricedPlan> plan_of(std::span<const std::uint32_t> operators,
                                      const SliceCounts& slices = {},
                                      LayerSearch search = LayerSearch::kFirst) {
        if (!may_order(operators)) return priced(operators, slices, search, false);
        const auto of_order = [&](LayerSearch own, bool is_ordered) {
            return plan_in_order(operators, slices, own, is_ordered);
        };
        std::optional<PricedPlan> as_is = of_order(LayerSearch::kFirst, false);
        std::optional<PricedPlan> ordered = of_order(LayerSearch::kFirst, true);
        if (search != LayerSearch::kFirst) {
            // A longer search is of both, unless it can hardly make up for what lies between.
            const bool tries_ordered = is_close(ordered, as_is);
            if (is_close(as_is, ordered)) as_is = of_order(search, false);
            if (tries_ordered) ordered = of_order(search, true);
        }
        return is_shorter(ordered, as_is) ? std::move(ordered) : std::move(as_is);
    }
    /// Whether what they begin with may be copied: where a kernel of the first one copies it, too.
    bool may_order(std::span<const std::uint32_t> operators) const {
        const graph::Operator& first = block_.operators[operators.front()];
        return reorders_.contains(operators.front()) &&
               block_.input(first, 0).type == tosa::DType::kFp32;
    }
    /// With the copy's time, where there is one.
    std::optional<PricedPlan> plan_in_order(std::span<const std::uint32_t> operators,
                                            const SliceCounts& slices, LayerSearch search,
                                            bool is_ordered) {
        if (is_ordered && !may_order(operators)) return std::nullopt;
        std::optional<PricedPlan> plan = priced(operators, slices, search, is_ordered);
        if (plan && is_ordered) plan->microseconds += reorders_.at(operators.front());
        return plan;
    }
    static bool is_shorter(const std::optional<PricedPlan>& plan,
                           const std::optional<PricedPlan>& other) {
        return plan && (!other || plan->microseconds < other->microseconds);
    }
    static bool is_close(const std::optional<PricedPlan>& plan,
                         const std::optional<PricedPlan>& other) {
        return !plan || !other || plan->microseconds < kClose * other->microseconds;
    }

    std::optional<PricedPlan> priced(std::span<const std::uint32_t> operators,
                                     const SliceCounts& slices, LayerSearch search,
                                     bool is_ordered) {
        std::optional<LayerPlan> plan = kernels::layers::plan_layers(
            binding_.bind(operators, is_ordered).call(), slices, search, prices_, halvings_);
        if (!plan) return std::nullopt;
        const double time = std::chrono::duration<double, std::micro>(plan->time).count();
        return PricedPlan{*std::move(plan), time, is_ordered};
    }

    /// The same within the budget; nothing when it is spent.
    std::optional<PricedPlan> candidate(std::span<const std::uint32_t> operators,
                                        const SliceCounts& slices = {},
                                        LayerSearch search = LayerSearch::kFirst) {
        if (!budget_->spend()) return std::nullopt;
        return plan_of(operators, slices, search);
    }
    bool is_thorough() const { return cuts_ == CutSearch::kThorough; }

    double microseconds_apart(std::span<const std::uint32_t> operators) const {
        double apart = 0;
        for (const std::uint32_t index : operators) apart += *times_.of(block_.operators[index]);
        return apart;
    }

    const graph::Block& block_;
    pricing::MachineHost& host_;
    kernels::layers::LayerPrices prices_;
    const OperatorTimes& times_;
    ReorderTimes reorders_;
    LayerBinding binding_;
    CutSearch cuts_ = CutSearch::kWhereNeeded;
    int halvings_ = 0;
    SearchBudget* budget_ = nullptr;  ///< of run()
};

}  // namespace

std::vector<LayerGroup> choose_layer_groups(const graph::Graph& graph, const GraphPlan& plan,
                                            const Machine& machine, const OperatorTimes& times,
                                            CutSearch search, SearchBudget& budget, int halvings) {
    const pricing::KnownMemory known;
    pricing::MachineHost host(machine.params, context_options(machine), known);
    std::vector<LayerGroup> groups;
    for (std::size_t r = 0; r < graph.regions.size(); ++r) {
        for (std::size_t b = 0; b < graph.regions[r].blocks.size(); ++b) {
            const tosa::BlockReference place{static_cast<std::uint32_t>(r),
                                             static_cast<std::uint32_t>(b)};
            LayerGrouping grouping(graph.regions[r].blocks[b], plan.blocks[r][b], host, times,
                                   reorder_times(plan, place), graph_memory(machine).start);
            for (LayerGroup& group : grouping.run(search, budget, halvings)) {
                group.place = place;
                groups.push_back(std::move(group));
            }
        }
    }
    return groups;
}

std::vector<std::optional<LayerGroup>> plan_layer_groups(const graph::Graph& graph,
                                                         const GraphPlan& plan,
                                                         const Machine& machine,
                                                         const OperatorTimes& times,
                                                         std::span<const ChosenLayers> choices) {
    const pricing::KnownMemory known;
    pricing::MachineHost host(machine.params, context_options(machine), known);
    std::map<const graph::Block*, LayerGrouping> blocks;
    std::vector<std::optional<LayerGroup>> groups;
    for (const ChosenLayers& choice : choices) {
        const graph::Block& block = graph.block(choice.place);
        const auto grouping =
            blocks.try_emplace(&block, block, plan.block(choice.place), host, times,
                               reorder_times(plan, choice.place), graph_memory(machine).start);
        groups.push_back(grouping.first->second.group_of(choice));
        if (groups.back()) groups.back()->place = choice.place;
    }
    return groups;
}

ChosenLayers choice_of(const LayerGroup& group) {
    const auto& plan = group.decisions.at<LayerPlan>(0, kLayersDecision);
    return {group.place, group.operators,        plan.slices,
            plan.search, !group.ordered.empty(), plan.halvings};
}

}  // namespace okksim::sim::planning
