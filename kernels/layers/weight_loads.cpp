// SPDX-License-Identifier: Apache-2.0
#include "kernels/layers/weight_loads.h"

#include <algorithm>

#include "isa/layout.h"
#include "kernels/layers/layer_run.h"

namespace okksim::kernels::layers {
namespace {

/// Most sections between a load and its reader: earlier loads occupy memory for too long.
constexpr int kFarthestSection = 256;

int earliest_of(const LoadRequest& request) {
    return std::max(0, request.needed - kFarthestSection);
}

}  // namespace

bool WeightLoads::add() {
    for (std::size_t i = 0; i < draft_.plan.works.size(); ++i) {
        LayerWork& work = draft_.plan.works[i];
        if (!draft_.loads_weights(work)) continue;
        const auto held = held_.find(piece_of(work));
        if (held != held_.end() && held->second.last >= LayerDraft::section_of(i)) {
            work.weights = held->second.address;
        } else if (!load(i)) {
            return false;
        }
        draft_.price_work(i);
    }
    return true;
}

WeightLoads::Piece WeightLoads::piece_of(const LayerWork& work) const {
    return {draft_.layer_of(work).op, work.channels.begin};
}

/// The last work that reads the same piece: in the same layer for its other images, or in the last
/// slice.
std::size_t WeightLoads::last_reader_of(std::size_t index, bool of_all_slices) const {
    std::size_t last = index;
    for (std::size_t i = index + 1; i < draft_.plan.works.size(); ++i) {
        const bool same_layer = draft_.plan.works[i].layer == draft_.plan.works[index].layer;
        if (!same_layer && !of_all_slices) break;
        if (piece_of(draft_.plan.works[i]) == piece_of(draft_.plan.works[index])) last = i;
    }
    return last;
}

/// Whole banks that hold a layer's feature maps: products are slower if weights share them.
std::vector<Addresses> WeightLoads::banks_of_maps(const Layer& layer) const {
    const std::int64_t bank = draft_.bank_bytes();
    std::vector<int> maps = layer.maps;
    maps.push_back(layer.output);
    std::vector<Addresses> banks;
    for (const int map : maps) {
        const std::int64_t begin = draft_.plan.maps[static_cast<std::size_t>(map)];
        banks.push_back({begin / bank * bank, isa::align_up(begin + draft_.map_bytes(map), bank)});
    }
    return banks;
}

/// The earliest section with slack from which on there is room for a piece.
std::optional<WeightLoads::Place> WeightLoads::find(const LoadRequest& request, std::int64_t bytes,
                                                    int last, const LocalRoom::Taken& taken) const {
    // A piece that fits from one section on fits from every later one on.
    int low = earliest_of(request), high = request.needed;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (taken.find_last(bytes, middle)) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    if (low == request.needed) return std::nullopt;
    const int first = first_with_slack(request, low, draft_.times);
    return Place{*taken.find_last(bytes, first), first, last};
}

/// Allocates in separate banks or anywhere, for use up to a last section.
std::optional<WeightLoads::Place> WeightLoads::better_place(const LayerWork& work,
                                                            const LoadRequest& request,
                                                            std::int64_t bytes, int last) {
    const Layer& layer = draft_.layer_of(work);
    LocalRoom::Taken taken = draft_.room->taken(earliest_of(request), last);
    taken.avoid(banks_of_maps(layer));
    const auto apart = find(request, bytes, last, taken);
    if (apart && draft_.limits.banks == WeightBanks::kApart) return apart;
    taken.avoid({});
    const auto anywhere = find(request, bytes, last, taken);
    if (!apart || !anywhere) return apart ? apart : anywhere;
    if (draft_.limits.banks == WeightBanks::kEarliest) {
        return anywhere->first < apart->first ? anywhere : apart;
    }
    const auto cost = [&](const Place& place) {
        LayerWork placed = work;
        placed.weights = static_cast<local_addr_t>(place.address);
        return added_time(request, place.first, draft_.times) + draft_.compute_time(placed);
    };
    return cost(*anywhere) < cost(*apart) ? anywhere : apart;
}

bool WeightLoads::load(std::size_t index) {
    LayerWork& work = draft_.plan.works[index];
    const LoadRequest request = request_of(work, LayerDraft::section_of(index));
    const std::int64_t bytes =
        weight_bytes(draft_.layer_of(work), work.channels.size(), draft_.plan.lanes);
    const auto found = [&](bool of_all_slices) {
        return better_place(work, request, bytes,
                            LayerDraft::section_of(last_reader_of(index, of_all_slices)));
    };
    std::optional<Place> place;
    if (draft_.limits.hold) place = found(true);
    if (!place) place = found(false);
    if (!place) return false;
    draft_.room->take(place->address, bytes, place->first, place->last);
    work.weights = static_cast<local_addr_t>(place->address);
    held_[piece_of(work)] = {work.weights, place->last};
    add_transfers(work, request, place->first);
    return true;
}

void WeightLoads::add_transfers(const LayerWork& work, const LoadRequest& request, int first) {
    const Layer& layer = draft_.layer_of(work);
    const std::int64_t slot = weight_bytes(layer, draft_.plan.lanes.count, draft_.plan.lanes);
    if (is_native(layer.kind)) {
        const int section = deal_out(request, first, draft_.times).front().section;
        draft_.transfers.push_back({section,
                                    {.kind = TransferKind::kLoadWeights,
                                     .layer = work.layer,
                                     .channels = work.channels,
                                     .local = work.weights}});
        return;
    }
    for (const UnitLoad& load : deal_out(request, first, draft_.times)) {
        const auto begin = work.channels.begin + isa::narrow(load.first * draft_.plan.lanes.count);
        const auto end = begin + isa::narrow(load.count * draft_.plan.lanes.count);
        draft_.transfers.push_back(
            {load.section,
             {.kind = TransferKind::kLoadWeights,
              .layer = work.layer,
              .channels = {begin, std::min(end, work.channels.end)},
              .local = work.weights + static_cast<local_addr_t>(load.first * slot)}});
    }
}

/// A load request for a piece of weights, in units of channel slots.
LoadRequest WeightLoads::request_of(const LayerWork& work, int needed) {
    // Packed constants of several slots are interleaved, so they are one unit.
    const bool is_whole = is_native(draft_.layer_of(work).kind);
    const std::int64_t units = is_whole ? 1 : draft_.plan.lanes.slots(work.channels.size());
    LayerTransfer transfer{
        .kind = TransferKind::kLoadWeights, .layer = work.layer, .channels = work.channels};
    const Duration all = draft_.transfer_time(transfer);
    LoadRequest request{.units = units, .unit_time = all, .needed = needed};
    if (units == 1) return request;
    transfer.channels.end = transfer.channels.begin + draft_.plan.lanes.count;
    const Duration one = draft_.transfer_time(transfer);
    request.unit_time = std::max(Duration{}, (all - one) / (units - 1));
    request.setup = std::max(Duration{}, one - request.unit_time);
    return request;
}

}  // namespace okksim::kernels::layers
