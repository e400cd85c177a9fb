// SPDX-License-Identifier: Apache-2.0
#include "kernels/layers/map_places.h"

#include <utility>

#include "kernels/layers/layer_slices.h"

namespace okksim::kernels::layers {

/// True if the part is in system memory before (given) or after (wanted) the group.
bool MapPlaces::is_given(std::size_t part) const {
    const MapPart& own = draft_.plan.parts[part];
    return is_in_memory(draft_.call, own) &&
           draft_.call.values[static_cast<std::size_t>(own.value)].given;
}
bool MapPlaces::is_wanted(std::size_t part) const {
    const MapPart& own = draft_.plan.parts[part];
    return is_in_memory(draft_.call, own) &&
           draft_.call.values[static_cast<std::size_t>(own.value)].wanted;
}

/// A result reuses the memory of an operand that has no later reader.
void MapPlaces::share_places() {
    std::vector<int> last_reader(draft_.plan.parts.size(), -1);
    for (std::size_t i = 0; i < draft_.plan.layers.size(); ++i) {
        for (const int map : draft_.plan.layers[i].maps) {
            last_reader[static_cast<std::size_t>(map)] = static_cast<int>(i);
        }
    }
    owner_.resize(draft_.plan.parts.size());
    for (std::size_t i = 0; i < owner_.size(); ++i) owner_[i] = static_cast<int>(i);
    for (std::size_t i = 0; i < draft_.plan.layers.size(); ++i) {
        const Layer& layer = draft_.plan.layers[i];
        if (!is_by_element(layer.kind)) continue;
        for (const int map : layer.maps) {
            const auto at = static_cast<std::size_t>(map);
            if (last_reader[at] != static_cast<int>(i) || is_wanted(at)) continue;
            if (repeats_pixel(part_shape(draft_.call, draft_.plan.parts[at]), layer.out)) continue;
            owner_[static_cast<std::size_t>(layer.output)] = owner_[at];
            break;
        }
    }
}

/// Live ranges of feature maps: from the first work that touches them to the last. Transfers extend
/// them.
MapPlaces::MapPlaces(LayerDraft& draft) : draft_(draft) {
    lives_.assign(draft_.plan.parts.size(), {});
    written_.assign(draft_.plan.parts.size(), 0);
    for (std::size_t i = 0; i < draft_.plan.works.size(); ++i) note_work(i);
    share_places();
}

bool MapPlaces::may_fit() const {
    // Change of the bytes in use at the beginning of each section.
    std::vector<std::int64_t> change(static_cast<std::size_t>(draft_.last_section()) + 1);
    for (const auto& [part, life] : lives_of_owners()) {
        change[static_cast<std::size_t>(life.first)] += draft_.map_bytes(part);
        change[static_cast<std::size_t>(life.last) + 1] -= draft_.map_bytes(part);
    }
    std::int64_t used = draft_.plan.packed_bytes;
    for (std::size_t i = 0; i < draft_.plan.works.size(); ++i) {
        used += change[static_cast<std::size_t>(LayerDraft::section_of(i))];
        if (used + draft_.plan.works[i].scratch_bytes > draft_.limits.room) return false;
    }
    return true;
}

void MapPlaces::schedule_transfers() {
    for (std::size_t i = 0; i < draft_.plan.parts.size(); ++i) {
        if (!lives_[i].used) continue;
        if (is_given(i)) schedule_load(i);
        if (is_wanted(i)) schedule_store(i);
    }
}

/// Extends the live ranges of feature maps that a work reads and writes.
void MapPlaces::note_work(std::size_t index) {
    const LayerWork& work = draft_.plan.works[index];
    const Layer& layer = draft_.layer_of(work);
    const int section = LayerDraft::section_of(index);
    for (const int map : layer.maps) {
        lives_[static_cast<std::size_t>(map)].extend(section, section);
    }
    lives_[static_cast<std::size_t>(layer.output)].extend(section, section);
    written_[static_cast<std::size_t>(layer.output)] = section;
}

std::int32_t MapPlaces::layer_in(int section) const {
    return draft_.plan.works[static_cast<std::size_t>(section) - 1].layer;
}

/// Schedules a load in the latest section before the first reader, within reach, that has time.
void MapPlaces::schedule_load(std::size_t part) {
    Life& life = lives_[part];
    const int latest = life.first - 1;
    const int earliest = std::max(0, latest - draft_.limits.reach + 1);
    const int section = add_within(
        latest, earliest, {.layer = layer_in(life.first), .part = static_cast<std::int32_t>(part)});
    life.first = keeps_places() ? earliest : section;
}

/// Schedules a store in the earliest section after the writer, within reach, that has time.
void MapPlaces::schedule_store(std::size_t part) {
    const int earliest = written_[part] + 1;
    const int latest = std::min(draft_.last_section(), earliest + draft_.limits.reach - 1);
    const int section = add_within(earliest, latest,
                                   {.kind = TransferKind::kStoreMap,
                                    .layer = layer_in(written_[part]),
                                    .part = static_cast<std::int32_t>(part)});
    lives_[part].last = std::max(lives_[part].last, keeps_places() ? latest : section);
}

/// Adds a transfer to the first of the sections [from, to], in this direction, in which the GDMA
/// has time. If none has time, the section with most slack gets it. Returns that section.
int MapPlaces::add_within(int from, int to, const LayerTransfer& transfer) {
    const Duration time = draft_.transfer_time(transfer);
    const int section = roomiest(from, to, time);
    draft_.times.transfer[static_cast<std::size_t>(section)] += time;
    draft_.transfers.push_back({section, transfer});
    return section;
}
int MapPlaces::roomiest(int from, int to, Duration time) const {
    const int step = to < from ? -1 : 1;
    int best = from;
    for (int section = from;; section += step) {
        if (draft_.times.slack(section) >= time) return section;
        if (draft_.times.slack(section) > draft_.times.slack(best)) best = section;
        if (section == to) return best;
    }
}

std::map<int, MapPlaces::Life> MapPlaces::lives_of_owners() const {
    std::map<int, Life> owners;
    for (std::size_t i = 0; i < lives_.size(); ++i) {
        if (!lives_[i].used) continue;
        owners[owner_[i]].extend(lives_[i].first, lives_[i].last);
    }
    return owners;
}

bool MapPlaces::place_maps() {
    if (!place(lives_of_owners())) return false;
    for (PlacedTransfer& placed : draft_.transfers) {
        placed.transfer.local = draft_.plan.maps[static_cast<std::size_t>(placed.transfer.part)];
    }
    return true;
}

/// Allocates the largest feature maps first: small ones fit into gaps.
bool MapPlaces::place(const std::map<int, Life>& owners) {
    std::vector<std::pair<std::int64_t, int>> order;
    for (const auto& [part, life] : owners) order.emplace_back(-draft_.map_bytes(part), part);
    std::sort(order.begin(), order.end());
    for (const auto& [bytes, part] : order) {
        const Life& life = owners.at(part);
        const auto address = draft_.room->place(-bytes, life.first, life.last);
        if (!address) return false;
        draft_.plan.maps[static_cast<std::size_t>(part)] = static_cast<local_addr_t>(*address);
    }
    for (std::size_t i = 0; i < owner_.size(); ++i) {
        draft_.plan.maps[i] = draft_.plan.maps[static_cast<std::size_t>(owner_[i])];
    }
    return true;
}

bool MapPlaces::place_scratch() {
    for (std::size_t i = 0; i < draft_.plan.works.size(); ++i) {
        LayerWork& work = draft_.plan.works[i];
        if (work.scratch_bytes == 0) continue;
        const int section = LayerDraft::section_of(i);
        const auto address = draft_.room->place(work.scratch_bytes, section, section);
        if (!address) return false;
        work.scratch = static_cast<local_addr_t>(*address);
    }
    return true;
}

bool MapPlaces::place_above(std::int64_t begin) {
    draft_.room.emplace(begin, draft_.limits.room, draft_.plan.lanes.line_bytes());
    return place_maps() && place_scratch();
}

}  // namespace okksim::kernels::layers
