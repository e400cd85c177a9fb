// SPDX-License-Identifier: Apache-2.0
#include "sim/planning/layer_groups.h"

#include <algorithm>
#include <map>
#include <utility>

#include "sim/device/chip_device.h"
#include "sim/graph/constant_operator.h"
#include "sim/planning/chain_cuts.h"
#include "sim/planning/graph_memory.h"
#include "sim/planning/group_pricer.h"
#include "sim/pricing/machine_host.h"

namespace okksim::sim::planning {
namespace {

using kernels::layers::LayerPlan;
using kernels::layers::LayerSearch;
using kernels::layers::SliceCounts;
using Operators = GroupPricer::Operators;

/// Maximum operators of a chain that is tried in slices although it fits as a whole. Transfers of a
/// slice overlap with the work of the next one, and few layers add few rows to each slice.
constexpr std::size_t kFewOperators = 32;
/// A group that fits as a whole is also tried with sliced first operators. The condition is that
/// loading its first feature maps takes at least this share of its time.
constexpr double kLongLoad = 0.02;
/// Maximum operators of the sliced part, which has the large feature maps.
constexpr std::size_t kMostBeginning = 12;

/// Cuts one chain of a block into layer groups.
class ChainGrouping {
 public:
    ChainGrouping(GroupPricer& pricer, Operators chain, const GroupSearch& search,
                  std::vector<LayerGroup>& groups)
        : pricer_(pricer),
          chain_(chain),
          search_(search),
          cuts_(pricer, chain, search.cuts),
          groups_(groups) {}

    /// Adds the groups with the largest total saving.
    void run() {
        if (chain_.size() < cuts_.least_operators()) return;
        const bool tries_whole = search_.cuts == CutSearch::kWhereNeeded;
        if (chain_.size() > kFewOperators && tries_whole && search_.budget->spend()) {
            const Priced whole = pricer_.plan_of(chain_, {}, LayerSearch::kFirst);
            if (whole.plan) return take_whole(*whole.plan);
        }
        const std::vector<ChainChoice> choices = cuts_.best();
        if (!tries_whole && is_better_whole(choices.front())) return take(chain_, {});
        for (std::size_t at = 0; at < chain_.size(); at = choices[at].end) {
            if (!choices[at].grouped) continue;
            take(chain_.subspan(at, choices[at].end - at), choices[at].slices);
        }
    }

 private:
    /// The first operators of a chain whose rest fits as a whole.
    struct Beginning {
        std::size_t end = 0;
        SliceCounts slices;
        bool grouped = false;  ///< a sliced layer group; otherwise separate kernels
    };

    /// Takes a chain that fits as a whole. Its first operators are separated if that is faster.
    void take_whole(const PricedPlan& whole) {
        const Beginning beginning = beginning_of(whole);
        if (beginning.grouped) take(chain_.first(beginning.end), beginning.slices);
        take(chain_.subspan(beginning.end), {});
    }

    Beginning beginning_of(const PricedPlan& whole) {
        Beginning best;
        double least = whole.microseconds;
        const auto consider = [&](const Beginning& beginning, double microseconds) {
            if (beginning.end + 1 >= chain_.size()) return;
            const GroupTime rest =
                pricer_.time_of(chain_.subspan(beginning.end), {}, least - microseconds);
            if (!rest.microseconds || microseconds + *rest.microseconds >= least) return;
            least = microseconds + *rest.microseconds;
            best = beginning;
        };
        // A kernel can lay out an input of few channels in ways that layers cannot.
        const std::size_t first = cuts_.end_of_kernel(1);
        consider({first, {}, false}, pricer_.microseconds_apart(chain_.first(first)));
        // Loads of slices overlap with work.
        if (pricer_.first_load(chain_, whole) < kLongLoad * whole.microseconds) return best;
        for (std::size_t count = 2; count <= kMostBeginning;) {
            const std::size_t end = cuts_.end_of_kernel(count);
            const std::optional<SlicedTime> sliced = pricer_.best_slices(chain_.first(end), least);
            if (sliced) consider({end, sliced->slices, true}, sliced->microseconds);
            count = end + std::max<std::size_t>(1, end / 2);
        }
        return best;
    }

    /// True if the whole chain is faster than the choices. Choices are priced with the first
    /// allocation that fits, and a whole chain may have a better one.
    bool is_better_whole(const ChainChoice& first) {
        if (chain_.size() <= kFewOperators || !search_.budget->spend()) return false;
        const auto whole = pricer_.plan_of(chain_, {}, LayerSearch::kFastest).plan;
        return whole && pricer_.microseconds_apart(chain_) - whole->microseconds > first.saved;
    }

    void take(Operators operators, const SliceCounts& slices) {
        std::optional<PricedPlan> plan =
            pricer_.plan_of(operators, slices, LayerSearch::kFastest).plan;
        if (search_.cuts == CutSearch::kThorough) improve(operators, *plan);
        if (plan->microseconds >= pricer_.microseconds_apart(operators)) return;
        groups_.push_back(pricer_.made(operators, *std::move(plan)));
    }

    /// Tries other numbers of slices near the chosen one, with more sizes of parts.
    void improve(Operators operators, PricedPlan& best) {
        const kernels::DeviceTensor& result = pricer_.result_of(operators);
        const SliceCounts chosen = best.layers.slices;
        const std::int32_t around[] = {chosen.rows, chosen.rows - 1, chosen.rows + 1,
                                       chosen.rows + chosen.rows / 2, 2 * chosen.rows};
        for (const std::int32_t rows : around) {
            if (rows < 1 || rows > result.dims[1] || !search_.budget->spend()) continue;
            auto plan =
                pricer_.plan_of(operators, {chosen.images, rows}, LayerSearch::kThorough).plan;
            if (plan && plan->microseconds < best.microseconds) best = *std::move(plan);
        }
    }

    GroupPricer& pricer_;
    Operators chain_;
    GroupSearch search_;
    ChainCuts cuts_;
    std::vector<LayerGroup>& groups_;
};

/// Adds the layer groups of one block.
void group_block(const graph::Block& block, GroupPricer& pricer, const GroupSearch& search,
                 std::vector<LayerGroup>& groups) {
    pricer.begin(search);
    std::vector<std::uint32_t> chain;
    for (std::uint32_t i = 0; i <= block.operators.size(); ++i) {
        if (i < block.operators.size() && graph::is_constant(block.operators[i])) continue;
        if (i < block.operators.size() && pricer.can_join(i)) {
            chain.push_back(i);
            continue;
        }
        ChainGrouping(pricer, chain, search, groups).run();
        chain.clear();
    }
}

}  // namespace

std::vector<LayerGroup> choose_layer_groups(const graph::Graph& graph, const GraphPlan& plan,
                                            const Machine& machine, const OperatorTimes& times,
                                            CutSearch search, SearchBudget& budget, int halvings) {
    const pricing::KnownMemory known;
    pricing::MachineHost host(machine.params, context_options(machine), known);
    std::vector<LayerGroup> groups;
    for (std::uint32_t r = 0; r < graph.regions.size(); ++r) {
        for (std::uint32_t b = 0; b < graph.regions[r].blocks.size(); ++b) {
            const graph::Block& block = graph.regions[r].blocks[b];
            GroupPricer pricer(block, plan, {r, b}, host, times, graph_memory(machine).start);
            const std::size_t before = groups.size();
            group_block(block, pricer, {search, halvings, &budget}, groups);
            for (std::size_t i = before; i < groups.size(); ++i) groups[i].place = {r, b};
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
    std::map<const graph::Block*, GroupPricer> blocks;
    std::vector<std::optional<LayerGroup>> groups;
    for (const ChosenLayers& choice : choices) {
        const graph::Block& block = graph.block(choice.place);
        const auto pricer = blocks.try_emplace(&block, block, plan, choice.place, host, times,
                                               graph_memory(machine).start);
        groups.push_back(pricer.first->second.group_of(choice));
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
