// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "kernels/layers/layer_draft.h"

namespace okksim::kernels::layers {

/// Live ranges, transfers and addresses of the feature maps of a draft.
class MapPlaces {
 public:
    /// Computes live ranges of the draft's works. The draft must outlive this object.
    explicit MapPlaces(LayerDraft& draft);

    /// False if the feature maps and scratch of a section are larger than local memory without the
    /// packed constants. Transfers do not count yet, so the allocation may still fail.
    bool may_fit() const;
    /// Schedules transfers by the times of the draft's works, and adds them to the draft.
    void schedule_transfers();

    /// Allocates feature maps and scratch from an address of local memory up. The draft keeps the
    /// remaining room. Returns false if they do not fit.
    bool place_above(std::int64_t begin);

 private:
    /// Sections [first, last] in which a feature map's bytes must survive.
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
    /// True if sections that may be merged should not reuse the memory of a feature map in
    /// transfer.
    bool keeps_places() const { return draft_.limits.merge == SectionMerge::kWithRoom; }
    void schedule_load(std::size_t part);
    void schedule_store(std::size_t part);
    int add_within(int from, int to, const LayerTransfer& transfer);
    int roomiest(int from, int to, Duration time) const;
    void share_places();
    std::map<int, Life> lives_of_owners() const;
    bool place_maps();
    bool place(const std::map<int, Life>& owners);
    bool place_scratch();

    LayerDraft& draft_;
    std::vector<Life> lives_;
    std::vector<int> written_;  ///< section of the last work that writes each part
    std::vector<int> owner_;    ///< part whose memory each part uses
};

}  // namespace okksim::kernels::layers
