// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "kernels/layers/layer_draft.h"

namespace okksim::kernels::layers {

/// When the maps of a draft are in local memory, when they move, and where they lie.
class MapPlaces {
 public:
    /// Lives of maps and transfers of those in system memory, by the times of the draft's works;
    /// adds the transfers to the draft, which must outlive this.
    explicit MapPlaces(LayerDraft& draft);

    /// Places of maps and scratch from an address of local memory up; what is left of the room is
    /// the draft's. False when they do not fit.
    bool place_above(std::int64_t begin);

 private:
    /// Sections [first, last] in which a map's bytes must survive.
    struct Life {
        int first = 0;
        int last = 0;
        bool used = false;

        void extend(int begin, int end) {
            first = used ? std::min(first, begin) : begin;
            last = used ? std::max(last, end) : end;
            used = true;
        }
    };

    bool is_given(std::size_t part) const;
    bool is_wanted(std::size_t part) const;
    void note_work(std::size_t index);
    std::int32_t layer_in(int section) const;
    /// Sections that are to be put together should not want the place of a map that moves.
    bool keeps_places() const { return draft_.limits.merge == SectionMerge::kWithRoom; }
    void schedule_load(std::size_t part);
    void schedule_store(std::size_t part);
    int add_within(int from, int to, const LayerTransfer& transfer);
    int roomiest(int from, int to, Duration time) const;
    void share_places(const std::vector<int>& last_reader);
    bool place_maps();
    bool place(const std::map<int, Life>& owners);
    bool place_scratch();

    LayerDraft& draft_;
    std::vector<Life> lives_;
    std::vector<int> written_;  ///< section of the last work that writes a map
    std::vector<int> owner_;    ///< map whose place a map has
};

}  // namespace okksim::kernels::layers
