// SPDX-License-Identifier: Apache-2.0
#include "sim/planning/local_blocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "kernels/layers/layer_plan.h"
#include "kernels/layers/layer_run.h"
#include "kernels/layers/layer_slices.h"
#include "sim/planning/run_step.h"

namespace okksim::sim::planning {
namespace {

using namespace kernels::layers;

class BlocksOfGroup {
 public:
    BlocksOfGroup(const graph::Block& block, const BlockPlan& plan, const Step& step)
        : block_(block),
          block_plan_(plan),
          bound_(bind_layers(block, step, plan.slots)),
          plan_(layer_plan_of(step)) {}

    std::vector<LocalBlock> run() {
        maps_.resize(plan_.parts.size());
        if (plan_.packed_bytes > 0) {
            blocks_.push_back({LocalUse::kConstants, "constants of all layers", 0,
                               plan_.packed_bytes, 0,
                               static_cast<std::int32_t>(plan_.sections.size()) - 1});
        }
        auto transfer = plan_.transfers.begin();
        auto work = plan_.works.begin();
        for (section_ = 0; section_ < static_cast<std::int32_t>(plan_.sections.size());
             ++section_) {
            const LayerSection& section = plan_.sections[static_cast<std::size_t>(section_)];
            for (std::int32_t i = 0; i < section.transfers; ++i) note(*transfer++);
            for (std::int32_t i = 0; i < section.works; ++i) note(*work++);
        }
        for (const std::optional<LocalBlock>& map : maps_) {
            if (map) blocks_.push_back(*map);
        }
        for (const auto& [key, weights] : weights_) blocks_.push_back(weights);
        std::stable_sort(blocks_.begin(), blocks_.end(),
                         [](const LocalBlock& a, const LocalBlock& b) {
                             return std::tie(a.first, a.begin) < std::tie(b.first, b.begin);
                         });
        return std::move(blocks_);
    }

 private:
    const Layer& layer(std::int32_t index) const {
        return plan_.layers[static_cast<std::size_t>(index)];
    }
    std::string name_of(std::int32_t value) const {
        const Slot slot = bound_.slots[static_cast<std::size_t>(value)];
        return block_.tensors[tensor_of(block_plan_, block_.tensors.size(), slot)].name.text();
    }

    void note(const LayerTransfer& transfer) {
        if (transfer.kind != TransferKind::kLoadWeights) return note_map(transfer.part);
        // Each channel slot may be loaded separately. The work that reads them determines the
        // block.
        loads_.push_back({layer(transfer.layer).op, transfer.channels, section_});
    }

    void note(const LayerWork& work) {
        const Layer& own = layer(work.layer);
        for (const int map : own.maps) note_map(map);
        note_map(own.output);
        if (work.scratch_bytes > 0) {
            blocks_.push_back({LocalUse::kScratch, "scratch of " + result_of(own), work.scratch,
                               work.scratch_bytes, section_, section_});
        }
        const LayerPlaces& places = plan_.places[static_cast<std::size_t>(work.layer)];
        if (is_convolution(own.kind) && !places.packed_weights) note_weights(work, own);
    }

    void note_map(std::int32_t part) {
        std::optional<LocalBlock>& map = maps_[static_cast<std::size_t>(part)];
        if (map) {
            map->last = section_;
            return;
        }
        const MapPart& own = plan_.parts[static_cast<std::size_t>(part)];
        std::string name = name_of(own.value);
        if (!plan_.slices.is_whole()) {
            name += fmt::format(" images {}-{} rows {}-{}", own.images.begin, own.images.end - 1,
                                own.rows.begin, own.rows.end - 1);
        }
        map = {LocalUse::kMap,
               std::move(name),
               plan_.maps[static_cast<std::size_t>(part)],
               part_bytes(bound_.call(), own, plan_.lanes),
               section_,
               section_};
    }

    void note_weights(const LayerWork& work, const Layer& own) {
        const auto key = std::tuple(own.op, work.channels.begin, work.weights);
        const auto known = weights_.find(key);
        const auto first = first_load(own.op, work.channels);
        if (known != weights_.end() && !first) {
            known->second.last = section_;
            return;
        }
        if (known != weights_.end()) {  // loaded anew
            blocks_.push_back(known->second);
            weights_.erase(known);
        }
        weights_[key] = {LocalUse::kWeights,
                         fmt::format("weights of {}, channels {}-{}", result_of(own),
                                     work.channels.begin, work.channels.end - 1),
                         work.weights,
                         weight_bytes(own, work.channels.size(), plan_.lanes),
                         first.value_or(section_),
                         section_};
    }
    /// Returns the first section that loads some of these channels for this work, and removes the
    /// loads.
    std::optional<std::int32_t> first_load(std::int32_t op, const kernels::conv::Range& channels) {
        std::optional<std::int32_t> first;
        std::erase_if(loads_, [&](const WeightLoad& load) {
            const bool is_own = load.op == op && load.channels.begin >= channels.begin &&
                                load.channels.end <= channels.end;
            if (is_own) first = std::min(first.value_or(load.section), load.section);
            return is_own;
        });
        return first;
    }
    std::string result_of(const Layer& own) const {
        return name_of(plan_.parts[static_cast<std::size_t>(own.output)].value);
    }

    struct WeightLoad {
        std::int32_t op;
        kernels::conv::Range channels;
        std::int32_t section;
    };

    const graph::Block& block_;
    const BlockPlan& block_plan_;
    BoundLayers bound_;
    const LayerPlan& plan_;
    std::int32_t section_ = 0;
    std::vector<std::optional<LocalBlock>> maps_;
    std::vector<WeightLoad> loads_;
    std::map<std::tuple<std::int32_t, std::int32_t, std::uint32_t>, LocalBlock> weights_;
    std::vector<LocalBlock> blocks_;
};

}  // namespace

const char* local_use_name(LocalUse use) {
    switch (use) {
        case LocalUse::kMap: return "map";
        case LocalUse::kWeights: return "weights";
        case LocalUse::kScratch: return "scratch";
        case LocalUse::kConstants: return "constants";
    }
    __builtin_unreachable();
}

std::vector<LocalBlock> local_blocks(const graph::Block& block, const BlockPlan& plan,
                                     const Step& step) {
    return BlocksOfGroup(block, plan, step).run();
}

}  // namespace okksim::sim::planning
