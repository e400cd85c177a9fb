// SPDX-License-Identifier: Apache-2.0
#include "sim/planning/layer_groups.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
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

/// Maximum operators of a chain that is tried in slices although it fits as a whole. Transfers of a
/// slice overlap with the work of the next one, and few layers add few rows to each slice.
constexpr std::size_t kFewOperators = 32;
/// Maximum operators of a sliced group.
constexpr std::size_t kMostSliced = 128;

/// Time in microseconds to reorder an operator's operands, by operator.
using ReorderTimes = std::map<std::uint32_t, double>;

ReorderTimes reorder_times(const GraphPlan& plan, tosa::BlockReference place) {
    ReorderTimes times;
    std::set<std::uint32_t> done;  // later reorders are of results
    for (const StepCost& cost : plan.costs) {
        if (cost.place != place) continue;
        if (cost.kernel != kReorder) done.insert(cost.op);
        if (!done.contains(cost.op)) times[cost.op] += cost.microseconds;
    }
    return times;
}

/// A priced plan of some operators.
struct PricedPlan {
    LayerPlan layers;
    double microseconds = 0;  ///< from idle, with the reorder before it
    bool is_ordered = false;  ///< takes a channel-first copy of its first operand
};

/// The answer to a request for a plan that takes less than a limit.
struct Priced {
    std::optional<PricedPlan> plan;
    bool fits = false;  ///< kernels::layers::LayerAnswer::fits

    PricedPlan* operator->() { return &*plan; }
    explicit operator bool() const { return plan.has_value(); }
};

constexpr double kNoLimit = std::numeric_limits<double>::infinity();

/// Growth of sliced groups: the next candidate has 1/kGrowth more operators. kThoroughDoublings is
/// the number of times that slices are doubled beyond the fewest that fit.
constexpr std::size_t kGrowth = 2, kThoroughGrowth = 8;
constexpr int kThoroughDoublings = 3;

/// A group that fits as a whole is also tried with sliced first operators. The condition is that
/// loading its first feature maps takes at least this share of its time.
constexpr double kLongLoad = 0.02;
/// Maximum operators of the sliced part, which has the large feature maps.
constexpr std::size_t kMostBeginning = 12;
/// Ratio of times from a short search above which the slower order of the operand is not searched
/// further.
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

    /// Returns the group of ascending operators, or no value if they cannot form one.
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
            choice.takes_copy
                ? plan_in_order(operators, slices, choice.search, *choice.takes_copy).plan
                : plan_of(operators, slices, choice.search).plan;
        if (!plan) return std::nullopt;
        return made(operators, *std::move(plan));
    }

 private:
    /// The best choice for the rest of a chain from a position on.
    struct Choice {
        std::size_t end = 0;  ///< start of the next choice
        SliceCounts slices;
        bool grouped = false;  ///< a layer group; otherwise separate kernels
        double saved = 0;      ///< microseconds saved up to the end of the chain
    };

    /// Returns the fewest operators of a group. A group of one keeps no feature map, but its parts
    /// may be faster than a kernel's tiles, or avoid a reorder.
    std::size_t least_operators() const { return cuts_ == CutSearch::kWhereNeeded ? 2 : 1; }

    /// Adds the groups with the largest total saving.
    void cut(const std::vector<std::uint32_t>& chain, std::vector<LayerGroup>& groups) {
        if (chain.size() < least_operators()) return;
        const std::span<const std::uint32_t> all(chain);
        if (chain.size() > kFewOperators && cuts_ == CutSearch::kWhereNeeded) {
            if (const auto whole = candidate(all).plan) return take_whole(all, *whole, groups);
        }
        const std::vector<Choice> choices = choose(all);
        if (is_better_whole(all, choices.front())) return take(all, {}, groups);
        for (std::size_t at = 0; at < chain.size(); at = choices[at].end) {
            if (!choices[at].grouped) continue;
            take(all.subspan(at, choices[at].end - at), choices[at].slices, groups);
        }
    }

    /// The first operators of a chain whose rest fits as a whole.
    struct Beginning {
        std::size_t end = 0;
        SliceCounts slices;
        bool grouped = false;  ///< a sliced layer group; otherwise separate kernels
    };

    /// Takes a chain that fits as a whole. Its first operators are separated if that is faster.
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
            const auto rest = candidate(chain.subspan(beginning.end)).plan;
            if (!rest || microseconds + rest->microseconds >= least) return;
            least = microseconds + rest->microseconds;
            best = beginning;
        };
        // A kernel can lay out an input of few channels in ways that layers cannot.
        const std::size_t first = end_of_kernel(chain, 1);
        consider({first, {}, false}, microseconds_apart(chain.first(first)));
        // Loads of slices overlap with work.
        if (first_load(chain, whole) < kLongLoad * whole.microseconds) return best;
        for (std::size_t count = 2; count <= kMostBeginning;) {
            const std::size_t end = end_of_kernel(chain, count);
            const auto plan = sliced_plan(chain.first(end), least);
            if (plan && plan->microseconds < least) {
                consider({end, plan->layers.slices, true}, plan->microseconds);
            }
            count = end + std::max<std::size_t>(1, end / kGrowth);
        }
        return best;
    }

    /// Returns the microseconds to load feature maps before the first work.
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

    /// True if the whole chain is faster than the choices. Choices are priced with the first
    /// allocation that fits, and a whole chain may have a better one. Only needed if all cuts are
    /// priced.
    bool is_better_whole(std::span<const std::uint32_t> chain, const Choice& first) {
        if (cuts_ == CutSearch::kWhereNeeded || chain.size() <= kFewOperators) return false;
        const auto whole = candidate(chain, {}, LayerSearch::kFastest).plan;
        return whole && microseconds_apart(chain) - whole->microseconds > first.saved;
    }

    void take(std::span<const std::uint32_t> operators, const SliceCounts& slices,
              std::vector<LayerGroup>& groups) {
        std::optional<PricedPlan> plan = plan_of(operators, slices, LayerSearch::kFastest).plan;
        if (is_thorough()) improve(operators, *plan);
        if (plan->microseconds >= microseconds_apart(operators)) return;
        groups.push_back(made(operators, *std::move(plan)));
    }

    /// Tries other numbers of slices near the chosen one, with more sizes of parts.
    void improve(std::span<const std::uint32_t> operators, PricedPlan& best) {
        const kernels::DeviceTensor& result = binding_.result_of(operators);
        const SliceCounts chosen = best.layers.slices;
        const std::int32_t around[] = {chosen.rows, chosen.rows - 1, chosen.rows + 1,
                                       chosen.rows + chosen.rows / 2, 2 * chosen.rows};
        for (const std::int32_t rows : around) {
            if (rows < 1 || rows > result.dims[1]) continue;
            auto plan = candidate(operators, {chosen.images, rows}, LayerSearch::kThorough).plan;
            if (plan && plan->microseconds < best.microseconds) best = *std::move(plan);
        }
    }

    /// Returns the group of a plan, after check_layers() has proved the plan.
    LayerGroup made(std::span<const std::uint32_t> operators, PricedPlan plan) const {
        check_layers(binding_.bind(operators, plan.is_ordered).call(), plan.layers,
                     host_.machine());
        LayerGroup group = binding_.group_of(operators, plan.is_ordered);
        group.microseconds = plan.microseconds;
        group.decisions.add(kLayersDecision, std::move(plan.layers));
        return group;
    }

    /// Computes the best choice for each position where a kernel begins, from the last to the
    /// first.
    std::vector<Choice> choose(std::span<const std::uint32_t> chain) {
        std::vector<Choice> choices(chain.size() + 1);
        std::size_t fits = chain.size();  // end of the longest chain that fits as a whole
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
            // A plan saves more than the best choice only below this time.
            const auto limit = [&](std::size_t end) {
                return microseconds_apart(chain.subspan(at, end - at)) + choices[end].saved -
                       best.saved;
            };
            while (fits >= at + least_operators()) {
                const Priced whole =
                    candidate(chain.subspan(at, fits - at), {}, LayerSearch::kFirst, limit(fits));
                if (whole) consider(fits, whole.plan);
                if (whole.fits) break;
                fits = begin_of_kernel(chain, fits - 1);
            }
            const std::size_t growth = is_thorough() ? kThoroughGrowth : kGrowth;
            for (std::size_t count = least_operators(); count <= kMostSliced;) {
                const std::size_t end = end_of_kernel(chain, at + count);
                const auto plan = sliced_plan(chain.subspan(at, end - at), limit(end));
                if (plan) consider(end, plan);
                if (end == chain.size()) break;
                count = end - at + std::max<std::size_t>(1, (end - at) / growth);
            }
            choices[at] = best;
            next = at;
        }
        return choices;
    }

    /// True if the operator runs in a kernel that began earlier. The kernel's first operator has
    /// its time.
    bool begins_inside(std::uint32_t op) const { return *times_.of(block_.operators[op]) == 0; }
    std::size_t begin_of_kernel(std::span<const std::uint32_t> chain, std::size_t at) const {
        while (at > 0 && begins_inside(chain[at])) --at;
        return at;
    }
    std::size_t end_of_kernel(std::span<const std::uint32_t> chain, std::size_t at) const {
        while (at < chain.size() && begins_inside(chain[at])) ++at;
        return std::min(at, chain.size());
    }

    /// Returns a plan that takes less than `limit`: with the fewest slices that fit, or with double
    /// their number if that is faster. A thorough search doubles the number further.
    std::optional<PricedPlan> sliced_plan(std::span<const std::uint32_t> operators, double limit) {
        std::optional<PricedPlan> best;
        bool fits = false;
        int left = is_thorough() ? kThoroughDoublings : 1;
        const kernels::DeviceTensor& result = binding_.result_of(operators);
        for (SliceCounts slices; more_slices(slices, result.dims[0], result.dims[1]);) {
            Priced priced = candidate(operators, slices, LayerSearch::kFirst,
                                      best ? best->microseconds : limit);
            if (fits) --left;
            if (priced && (!best || priced->microseconds < best->microseconds)) {
                best = std::move(priced.plan);
            }
            fits = fits || priced.fits;
            if (fits && left == 0) return best;
        }
        return best;
    }

    /// Doubles the number of slices: images first, then rows. Returns false at the limit.
    static bool more_slices(SliceCounts& slices, std::int32_t images, std::int32_t rows) {
        if (slices.images < images) {
            slices.images = std::min(2 * slices.images, images);
            return true;
        }
        slices.rows *= 2;
        return slices.rows <= rows;
    }

    /// Returns the faster plan: with the first operand as stored, or with a channel-first copy. The
    /// copy's time is included. Plans that take longer than `limit` are left out.
    Priced plan_of(std::span<const std::uint32_t> operators, const SliceCounts& slices = {},
                   LayerSearch search = LayerSearch::kFirst, double limit = kNoLimit) {
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
        return {
            is_shorter(ordered.plan, as_is.plan) ? std::move(ordered.plan) : std::move(as_is.plan),
            fits};
    }
    /// True if the first operand may be copied: its kernel copies it as well.
    bool may_order(std::span<const std::uint32_t> operators) const {
        const graph::Operator& first = block_.operators[operators.front()];
        return reorders_.contains(operators.front()) &&
               block_.input(first, 0).type == tosa::DType::kFp32;
    }
    /// Includes the time of the copy, if there is one.
    Priced plan_in_order(std::span<const std::uint32_t> operators, const SliceCounts& slices,
                         LayerSearch search, bool is_ordered, double limit = kNoLimit) {
        if (is_ordered && !may_order(operators)) return {};
        const double copy = is_ordered ? reorders_.at(operators.front()) : 0;
        Priced answer = priced(operators, slices, search, is_ordered, limit - copy);
        if (answer) answer->microseconds += copy;
        return answer;
    }
    static bool is_shorter(const std::optional<PricedPlan>& plan,
                           const std::optional<PricedPlan>& other) {
        return plan && (!other || plan->microseconds < other->microseconds);
    }
    static bool is_close(const std::optional<PricedPlan>& plan,
                         const std::optional<PricedPlan>& other) {
        return !plan || !other || plan->microseconds < kClose * other->microseconds;
    }

    Priced priced(std::span<const std::uint32_t> operators, const SliceCounts& slices,
                  LayerSearch search, bool is_ordered, double limit) {
        kernels::layers::LayerAnswer answer =
            kernels::layers::plan_layers(binding_.bind(operators, is_ordered).call(), slices,
                                         search, prices_, halvings_, duration_of(limit));
        if (!answer.plan) return {std::nullopt, answer.fits};
        const double time = std::chrono::duration<double, std::micro>(answer.plan->time).count();
        return {PricedPlan{*std::move(answer.plan), time, is_ordered}, true};
    }
    /// A time in the planner's unit, at least 0.
    static kernels::Duration duration_of(double microseconds) {
        using Exact = std::chrono::duration<double, kernels::Duration::period>;
        const Exact exact = std::chrono::duration<double, std::micro>(std::max(0.0, microseconds));
        return exact < Exact(kernels::Duration::max())
                   ? kernels::Duration(static_cast<std::int64_t>(std::ceil(exact.count())))
                   : kernels::Duration::max();
    }

    /// Counts a candidate and plans it. Returns no plan if the budget is spent.
    Priced candidate(std::span<const std::uint32_t> operators, const SliceCounts& slices = {},
                     LayerSearch search = LayerSearch::kFirst, double limit = kNoLimit) {
        if (!budget_->spend()) return {};
        return plan_of(operators, slices, search, limit);
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
    SearchBudget* budget_ = nullptr;  ///< set by run()
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
