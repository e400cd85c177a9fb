// SPDX-License-Identifier: Apache-2.0
#include "sim/bound/group_need.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "isa/layout.h"
#include "isa/limits.h"
#include "kernels/layers/layer_run.h"
#include "kernels/layers/layer_unfold.h"
#include "kernels/layers/layer_works.h"
#include "sim/bound/operator_need.h"
#include "sim/bound/own_work.h"
#include "sim/planning/block_planner.h"
#include "sim/planning/describe_value.h"

namespace okksim::sim::bound {
namespace {

using graph::TensorIndex;
using isa::Engine;
using kernels::OwnWork;
using kernels::layers::Layer;
using kernels::layers::LayerCall;
using kernels::layers::LayerPlan;
using kernels::layers::LayerTransfer;
using kernels::layers::LayerValue;
using kernels::layers::LayerWork;
using kernels::layers::MapPart;
using kernels::layers::PartLimits;
using kernels::layers::SliceCounts;
using kernels::layers::TransferKind;
using models::Picoseconds;

/// True if the bound knows the layer's commands: fp32 layers with no more channels than a command
/// takes.
bool is_known(const Layer& layer) {
    return !kernels::layers::is_native(layer.kind) && layer.in.c <= isa::kMostChannels &&
           layer.out.c <= isa::kMostChannels;
}

bool reads(const Layer& layer, int part) {
    return std::ranges::find(layer.maps, part) != layer.maps.end();
}

const LayerValue& value_of(const CutGroup& cut, const MapPart& part) {
    return cut.bound.values[static_cast<std::size_t>(part.value)];
}
bool is_given(const CutGroup& cut, std::size_t part) {
    const MapPart& own = cut.plan.parts[part];
    return value_of(cut, own).given && !own.copy;
}
bool is_wanted(const CutGroup& cut, std::size_t part) {
    const MapPart& own = cut.plan.parts[part];
    return value_of(cut, own).wanted && !own.copy;
}

/// Returns the candidate limits in bytes up to which weights are packed with the small constants.
/// Each limit packs different weights.
std::set<std::int64_t> packed_sizes(const LayerPlan& plan) {
    std::set<std::int64_t> sizes{0};
    for (const Layer& layer : plan.layers) {
        if (!is_convolution(layer.kind)) continue;
        sizes.insert(kernels::layers::weight_bytes(layer, layer.out.c, plan.lanes));
    }
    return sizes;
}

/// Returns the candidate sizes of weight pieces in bytes per lane. Each size cuts differently.
std::set<std::int64_t> piece_sizes(const LayerPlan& plan) {
    std::set<std::int64_t> sizes;
    for (std::size_t i = 0; i < plan.layers.size(); ++i) {
        const Layer& layer = plan.layers[i];
        if (!is_convolution(layer.kind) || plan.places[i].packed_weights) continue;
        for (std::int64_t slots = 1; slots <= plan.lanes.slots(layer.out.c); ++slots) {
            sizes.insert(slots * kernels::layers::weight_bytes(layer, 1, plan.lanes));
        }
    }
    if (sizes.empty()) sizes.insert(0);
    return sizes;
}

/// Returns the first channel of each work, which distinguishes cuts of the same layers.
std::vector<std::int32_t> first_channels(const std::vector<LayerWork>& works) {
    std::vector<std::int32_t> channels;
    for (const LayerWork& work : works) channels.push_back(work.channels.begin);
    return channels;
}

}  // namespace

GroupNeeds::GroupNeeds(const graph::Block& block, pricing::MachineHost& host)
    : block_(block),
      host_(host),
      uses_(block),
      times_(host.params(), true),
      costs_(host),
      prices_(host) {}

std::vector<StepNeed> GroupNeeds::of(const std::vector<std::uint32_t>& operators,
                                     const std::set<TensorIndex>& row_major, Picoseconds most) {
    most_ = most;
    std::vector<StepNeed> needs;
    const Group group = group_of(operators, row_major);
    if (group.layers.empty()) return needs;
    const dim4 result = group.layers.back().out;
    for (std::int32_t images = 1; images <= result.n; ++images) {
        for (std::int32_t rows = 1; rows <= result.h; ++rows) {
            if (!add_cut(group, {images, rows}, needs)) break;
        }
    }
    return needs;
}

GroupNeeds::Group GroupNeeds::group_of(const std::vector<std::uint32_t>& operators,
                                       const std::set<TensorIndex>& row_major) const {
    const planning::Step step = layer_step(block_, uses_, {&block_, {}, operators, {}, false});
    std::vector<kernels::DeviceTensor> slots;
    for (std::size_t i = 0; i < block_.tensors.size(); ++i) {
        const graph::Tensor& tensor = block_.tensors[i];
        const bool is_channel_first = is_ordered(tensor) && !tensor.has_data &&
                                      !row_major.contains(static_cast<TensorIndex>(i));
        slots.push_back(describe_value(tensor, is_channel_first
                                                   ? planning::StorageOrder::kChannelFirst
                                                   : planning::StorageOrder::kRowMajor));
        // The start of memory has the best possible alignment.
        slots.back().address = host_.machine().global().start;
        slots.back().constant = tensor.has_data;
    }
    Group group{bind_layers(block_, step, slots), {}};
    group.bound.prepared = host_.machine().global().start;
    const LayerCall call = group.bound.call();
    for (const auto& op : call.operators) {
        std::optional<Layer> layer = layer_of(op, call.values, host_.machine());
        if (!layer || !is_known(*layer)) return {};
        layer->op = static_cast<std::int32_t>(group.layers.size());
        group.layers.push_back(*std::move(layer));
    }
    return group;
}

bool GroupNeeds::add_cut(const Group& group, const SliceCounts& counts,
                         std::vector<StepNeed>& needs) {
    const LayerCall call = group.bound.call();
    auto sliced = kernels::layers::cut_layers(call, group.layers, counts);
    if (!sliced || sliced->layers.empty()) return false;
    CutGroup cut{group.bound, {}};
    cut.plan.lanes = kernels::lanes_of(host_.machine());
    cut.plan.slices = counts;
    cut.plan.parts = std::move(sliced->parts);
    cut.plan.layers = std::move(sliced->layers);
    cut.plan.maps.assign(cut.plan.parts.size(), 0);
    cut.plan.programs.assign(call.operators.size(), nullptr);
    cut.plan.natives.assign(call.operators.size(), nullptr);
    if (time_of_maps(cut) < most_) add_constants(cut, needs);
    // The planner also tries to lay out windows of few channels as channels.
    unfold_layers(call, cut.plan, prices_);
    const bool is_unfolded =
        std::ranges::any_of(cut.plan.layers, [](const Layer& layer) { return layer.row_taps > 1; });
    if (is_unfolded && time_of_maps(cut) < most_) add_constants(cut, needs);
    return true;
}

void GroupNeeds::add_constants(CutGroup& cut, std::vector<StepNeed>& needs) {
    const LayerCall call = cut.bound.call();
    for (const std::int64_t packed : packed_sizes(cut.plan)) {
        PartLimits limits;
        limits.scratch = std::numeric_limits<std::uint32_t>::max();
        limits.packed = packed;
        pack_constants(cut.plan, limits);
        std::set<std::vector<std::int32_t>> known;
        for (const std::int64_t piece : piece_sizes(cut.plan)) {
            limits.weights = piece;
            std::vector<LayerWork> works = works_of(call, cut.plan, limits);
            if (!known.insert(first_channels(works)).second) continue;
            const Draft draft = draft_of(cut, std::move(works));
            for (const bool at_once : {true, false}) {
                const auto need = need_of(cut, draft, at_once);
                if (need && need->engines < most_) needs.push_back(*need);
            }
        }
    }
    drop_worse(needs);
}

GroupNeeds::Draft GroupNeeds::draft_of(const CutGroup& cut, std::vector<LayerWork> works) {
    Draft draft;
    draft.works = std::move(works);
    for (const LayerWork& work : draft.works) {
        const LeastWork own = costs_.of(cut, work);
        draft.pipeline.push_back(
            {own.of(Engine::kBdc), {}, {}, issue_of(own, OwnWork::kLayerWork), {}});
        draft.commands += own.commands;
    }
    add_maps(cut, draft);
    add_weights(cut, draft);
    return draft;
}

void GroupNeeds::Draft::add_load(std::size_t work, const LeastWork& load, Picoseconds issue) {
    pipeline[work].loads += load.time();
    pipeline[work].load_issue += issue;
    commands += load.commands;
}

void GroupNeeds::add_maps(const CutGroup& cut, Draft& draft) {
    const std::vector<Layer>& layers = cut.plan.layers;
    std::vector<std::size_t> first(layers.size()), last(layers.size());  // by layer
    for (std::size_t w = draft.works.size(); w-- > 0;) {
        first[static_cast<std::size_t>(draft.works[w].layer)] = w;
    }
    for (std::size_t w = 0; w < draft.works.size(); ++w) {
        last[static_cast<std::size_t>(draft.works[w].layer)] = w;
    }
    for (std::size_t i = 0; i < cut.plan.parts.size(); ++i) {
        const auto part = static_cast<int>(i);
        const auto reader =
            std::ranges::find_if(layers, [&](const Layer& layer) { return reads(layer, part); });
        const auto writer = std::ranges::find(layers, part, &Layer::output);
        if (is_given(cut, i) && reader != layers.end()) {
            const LeastWork own = costs_.of(cut, LayerTransfer{TransferKind::kLoadMap, 0, part});
            draft.add_load(first[static_cast<std::size_t>(reader - layers.begin())], own,
                           issue_of(own, OwnWork::kTransfer));
            ++draft.transfers;
        }
        if (is_wanted(cut, i) && writer != layers.end()) {
            const LeastWork own = costs_.of(cut, LayerTransfer{TransferKind::kStoreMap, 0, part});
            draft.pipeline[last[static_cast<std::size_t>(writer - layers.begin())]].stores +=
                own.time();
            draft.last_store = {own.time().value / own.commands};
            draft.commands += own.commands;
            ++draft.transfers;
        }
    }
}

void GroupNeeds::add_weights(const CutGroup& cut, Draft& draft) {
    std::set<std::pair<std::int32_t, std::int32_t>> loaded;  // operator and first channel
    for (std::size_t w = 0; w < draft.works.size(); ++w) {
        const LayerWork& work = draft.works[w];
        const auto index = static_cast<std::size_t>(work.layer);
        const Layer& layer = cut.plan.layers[index];
        if (!is_convolution(layer.kind) || cut.plan.places[index].packed_weights) continue;
        if (!loaded.emplace(layer.op, work.channels.begin).second) continue;
        const LeastWork own = costs_.of(cut, LayerTransfer{.kind = TransferKind::kLoadWeights,
                                                           .layer = work.layer,
                                                           .channels = work.channels});
        draft.add_load(w, own, issue_of(own, OwnWork::kTransfer));
        ++draft.transfers;
    }
}

std::optional<StepNeed> GroupNeeds::need_of(CutGroup& cut, Draft draft, bool at_once) {
    LayerPlan& plan = cut.plan;
    const std::int64_t first_end =
        isa::align_up(packed_end(plan, draft.works.front().layer), plan.lanes.line_bytes());
    if (!at_once && first_end >= plan.packed_bytes) return std::nullopt;
    plan.packed_first = at_once ? plan.packed_bytes : static_cast<std::uint32_t>(first_end);
    // The first work that reads the second part of the packed constants.
    const auto reader = std::ranges::find_if(draft.works, [&](const LayerWork& work) {
        return packed_end(plan, work.layer) > plan.packed_first;
    });
    std::int64_t loads = 0;
    for (const std::size_t section : {std::size_t{0}, std::size_t{1}}) {
        const LeastWork own = costs_.of_packed(cut, section);
        if (own.commands == 0) continue;
        const auto work = section == 0 ? 0 : reader - draft.works.begin();
        draft.add_load(static_cast<std::size_t>(work), own, issue_of(own, OwnWork::kTransfer));
        ++loads;
    }
    return need_of(cut, draft, loads);
}

StepNeed GroupNeeds::need_of(CutGroup& cut, const Draft& draft, std::int64_t packed_loads) {
    LayerPlan& plan = cut.plan;
    const auto works = static_cast<std::int64_t>(draft.works.size());
    // The lists get their final lengths, since the number of argument words depends on them.
    plan.transfers.resize(static_cast<std::size_t>(draft.transfers));
    plan.works.resize(draft.works.size());
    plan.sections.resize(kLeastSections);
    const auto words = static_cast<std::int64_t>(plan.argument_words());
    const std::int64_t set_up =
        own_instructions(OwnWork::kLayers) + own_instructions(OwnWork::kArgumentWord, words);
    const std::int64_t own = own_instructions(OwnWork::kTransfer, draft.transfers + packed_loads) +
                             own_instructions(OwnWork::kLayerWork, works);
    StepNeed need;
    need.begin = {1, set_up, 1, 0};
    // The last section ends after the last command, so its end is not part of the issue time.
    need.issue = {draft.commands, set_up + own, 1, kLeastSections - 1};
    need.engines = end_of(draft.pipeline);
    need.end_as_first = end_of(draft.pipeline, times_.issue(need.begin));
    need.last_command = draft.last_store;
    return need;
}

Picoseconds GroupNeeds::issue_of(const LeastWork& work, OwnWork own) const {
    const IssueNeed one{1, 0, 1, 0};
    IssueNeed more = one;
    more.add({work.commands, own_instructions(own), 0, 0});
    return times_.issue(more) - times_.issue(one);
}

Picoseconds GroupNeeds::time_of_maps(const CutGroup& cut) {
    Picoseconds sum{};
    for (std::size_t i = 0; i < cut.plan.parts.size(); ++i) {
        const auto part = static_cast<int>(i);
        const bool is_read = std::ranges::any_of(
            cut.plan.layers, [&](const Layer& layer) { return reads(layer, part); });
        if (is_read && is_given(cut, i)) {
            sum += costs_.of(cut, LayerTransfer{TransferKind::kLoadMap, 0, part}).time();
        }
        if (is_wanted(cut, i)) {
            sum += costs_.of(cut, LayerTransfer{TransferKind::kStoreMap, 0, part}).time();
        }
    }
    return sum;
}

}  // namespace okksim::sim::bound
