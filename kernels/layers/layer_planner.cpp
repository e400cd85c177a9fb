// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "isa/layout.h"
#include "kernels/layers/layer_draft.h"
#include "kernels/layers/layer_placing.h"
#include "kernels/layers/layer_run.h"
#include "kernels/layers/layer_unfold.h"
#include "kernels/layers/map_places.h"
#include "kernels/layers/native_run.h"
#include "kernels/layers/section_merge.h"
#include "kernels/layers/weight_loads.h"

namespace okksim::kernels::layers {
namespace {

/// Divisor: overlap between sections saves less than 1/128 of the sum of their times.
constexpr int kDoubt = 128;

class LayerPlanner {
 public:
    LayerPlanner(const LayerCall& call, const SlicedLayers& layers, LayerPrices& prices,
                 const PartLimits& limits, bool unfolds)
        : draft_(call, prices, limits), host_(prices.host()) {
        plan_.lanes = lanes_of(host_.machine());
        plan_.slices = layers.counts;
        plan_.parts = layers.parts;
        plan_.layers = layers.layers;
        plan_.maps.assign(plan_.parts.size(), 0);
        for (const LayerOperator& op : call.operators) plan_.programs.push_back(op.program);
        for (const LayerOperator& op : call.operators) plan_.natives.push_back(op.native);
        if (unfolds) unfold_layers(draft_.call, plan_, draft_.prices);
    }

    /// True if another plan of the same choices cannot help.
    bool is_settled() const { return was_tried_ || is_placed_; }
    bool has_unfolded() const {
        return std::any_of(plan_.layers.begin(), plan_.layers.end(),
                           [](const Layer& layer) { return layer.row_taps > 1; });
    }

    std::optional<LayerPlan> run(TriedLimits& tried) {
        pack_constants(plan_, draft_.limits);
        place_prepared(draft_.call, plan_);
        choose_zero_channels();
        plan_.works = works_of(draft_.call, plan_, draft_.limits);
        was_tried_ = !tried.choices.insert(choices()).second;
        if (was_tried_) return std::nullopt;
        place_native_constants(plan_);
        size_scratch();
        MapPlaces maps(draft_);
        if (!maps.may_fit()) return std::nullopt;
        suppose_places();
        draft_.price_works();
        if (is_too_slow(tried)) return std::nullopt;
        split_packed_constants();
        maps.schedule_transfers();
        const std::int64_t bank = draft_.bank_bytes();
        // Packed weights have separate banks if the feature maps leave room.
        if (!maps.place_above(isa::align_up(plan_.packed_bytes, bank)) &&
            !maps.place_above(plan_.packed_bytes)) {
            return std::nullopt;
        }
        // Bank conflicts, and so the times of products, depend on the final addresses of the
        // feature maps.
        for (std::size_t i = 0; i < plan_.works.size(); ++i) {
            const auto at = static_cast<std::size_t>(plan_.works[i].layer);
            if (plan_.layers[at].has_constants()) draft_.price_work(i);
        }
        if (!WeightLoads(draft_).add()) return std::nullopt;
        write_sections();
        is_placed_ = tried.fits = true;
        const Duration expected = draft_.limits.merge == SectionMerge::kNone
                                      ? draft_.sum_of_sections()
                                      : merge_sections(draft_.call, plan_, draft_.prices);
        if (expected - expected / kDoubt > tried.least) return std::nullopt;
        plan_.time = host_.time([this] { run_layers(draft_.call, plan_); });
        tried.least = std::min(tried.least, plan_.time);
        return std::move(plan_);
    }

 private:
    /// True if the works of a group in slices alone take longer than the limit. If they take half
    /// as long again, no other number of slices is fast enough either: slices repeat rows.
    bool is_too_slow(TriedLimits& tried) const {
        const Duration works = draft_.sum_of_works();
        if (plan_.slices.is_whole() || works <= tried.least) return false;
        tried.fits = works - works / 3 > tried.least;
        return true;
    }

    /// Everything that determines the plan apart from the group: parts, and limits other than
    /// sizes.
    std::vector<std::int32_t> choices() const {
        std::vector<std::int32_t> all{has_unfolded() ? 1 : 0,
                                      draft_.limits.reach,
                                      draft_.limits.hold ? 1 : 0,
                                      draft_.limits.constants_at_once ? 1 : 0,
                                      static_cast<std::int32_t>(draft_.limits.merge),
                                      draft_.limits.eagerness,
                                      static_cast<std::int32_t>(draft_.limits.banks),
                                      isa::narrow(draft_.limits.room)};
        for (const LayerPlaces& places : plan_.places) all.push_back(places.packed_weights ? 1 : 0);
        for (const LayerWork& work : plan_.works) {
            all.insert(all.end(), {work.layer, work.image, work.channels.begin, work.channels.end,
                                   work.span.begin, work.span.end});
        }
        return all;
    }

    /// The array may process an even channel count faster than the odd count below it.
    void choose_zero_channels() {
        for (std::size_t i = 0; i < plan_.layers.size(); ++i) {
            const Layer& layer = plan_.layers[i];
            if (layer.kind != LayerKind::kConvolution || layer.in.c % 2 == 0) continue;
            if (!plan_.places[i].packed_weights || layer.in.c % plan_.lanes.count == 0) continue;
            const LayerWork work{.layer = static_cast<std::int32_t>(i),
                                 .channels = {0, layer.out.c}};
            const Duration odd = draft_.compute_time(work);
            plan_.places[i].zero_channels = 1;
            if (draft_.compute_time(work) >= odd) plan_.places[i].zero_channels = 0;
        }
    }

    /// Constants that the first work does not read arrive while it computes, if that is faster.
    void split_packed_constants() {
        if (plan_.works.empty() || draft_.limits.constants_at_once) return;
        const auto load = [&](std::size_t section) {
            return host_.work([&] { load_packed_constants(draft_.call, plan_, section); })
                .of(isa::Engine::kGdma);
        };
        const std::int64_t first =
            isa::align_up(packed_end(plan_, plan_.works.front().layer), plan_.lanes.line_bytes());
        if (first >= plan_.packed_bytes) return;
        const Duration whole = load(0);
        plan_.packed_first = static_cast<std::uint32_t>(first);
        const Duration begin = load(0), rest = load(1);
        if (begin + std::max(rest, draft_.times.compute[1]) < whole + draft_.times.compute[1]) {
            draft_.times.transfer[1] += rest;
        } else {
            plan_.packed_first = plan_.packed_bytes;
        }
    }

    void size_scratch() {
        for (LayerWork& work : plan_.works) {
            const Layer& layer = draft_.layer_of(work);
            work.scratch_bytes =
                static_cast<std::uint32_t>(scratch_bytes(draft_.call, plan_, layer, work));
        }
    }

    /// Provisional addresses before allocation. Feature maps follow the banks of packed weights,
    /// and weights are at the end of memory, where most will be. Works then do not seem to wait
    /// for shared banks.
    void suppose_places() {
        const std::int64_t line = plan_.lanes.line_bytes();
        const auto before_end = [&](std::int64_t bytes) {
            return std::max<std::int64_t>(0, (host_.machine().local_bytes - bytes) / line * line);
        };
        const std::int64_t behind = isa::align_up(plan_.packed_bytes, draft_.bank_bytes());
        for (std::size_t i = 0; i < plan_.parts.size(); ++i) {
            plan_.maps[i] = static_cast<local_addr_t>(
                std::min(behind, before_end(draft_.map_bytes(static_cast<int>(i)))));
        }
        for (LayerWork& work : plan_.works) {
            const Layer& layer = draft_.layer_of(work);
            if (!draft_.loads_weights(work)) continue;
            work.weights = static_cast<local_addr_t>(
                before_end(weight_bytes(layer, work.channels.size(), plan_.lanes)));
        }
    }

    void write_sections() {
        std::stable_sort(
            draft_.transfers.begin(), draft_.transfers.end(),
            [](const PlacedTransfer& a, const PlacedTransfer& b) { return a.section < b.section; });
        plan_.sections.assign(static_cast<std::size_t>(draft_.last_section()) + 1, {});
        for (const PlacedTransfer& placed : draft_.transfers) {
            plan_.transfers.push_back(placed.transfer);
            ++plan_.sections[static_cast<std::size_t>(placed.section)].transfers;
        }
        for (std::size_t i = 0; i < plan_.works.size(); ++i) plan_.sections[i + 1].works = 1;
        if (plan_.sections.back().transfers == 0) plan_.sections.pop_back();
    }

    LayerDraft draft_;
    LayerPlan& plan_ = draft_.plan;
    Host& host_;
    bool was_tried_ = false, is_placed_ = false;
};

}  // namespace

std::optional<LayerPlan> place_layers(const LayerCall& call, const SlicedLayers& layers,
                                      const PartLimits& limits, LayerPrices& prices,
                                      TriedLimits& tried) {
    LayerPlanner unfolding(call, layers, prices, limits, true);
    const bool has_other = unfolding.has_unfolded();
    std::optional<LayerPlan> plan = unfolding.run(tried);
    if (plan || !has_other || unfolding.is_settled()) return plan;
    // Unfolded feature maps may need more channel slots.
    return LayerPlanner(call, layers, prices, limits, false).run(tried);
}

}  // namespace okksim::kernels::layers
