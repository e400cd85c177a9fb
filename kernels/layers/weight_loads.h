// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "kernels/layers/layer_draft.h"

namespace okksim::kernels::layers {

/// Weights that come in pieces: their transfers and addresses.
class WeightLoads {
 public:
    /// The feature maps of the draft must have addresses. The draft must outlive this object.
    explicit WeightLoads(LayerDraft& draft) : draft_(draft) {}

    /// Adds the transfers to the draft, and prices works again with the addresses of their weights.
    /// Returns false if there is no room.
    bool add();

 private:
    /// Operator and first channel.
    using Piece = std::pair<std::int32_t, std::int32_t>;
    /// Address of a piece, and the sections for which it is allocated.
    struct Place {
        std::int64_t address = 0;
        int first = 0, last = 0;
    };
    /// A piece that stays in memory up to a section.
    struct Held {
        local_addr_t address = 0;
        int last = 0;
    };

    Piece piece_of(const LayerWork& work) const;
    std::size_t last_reader_of(std::size_t index, bool of_all_slices) const;
    std::vector<Addresses> banks_of_maps(const Layer& layer) const;
    std::optional<Place> find(const LoadRequest& request, std::int64_t bytes, int last,
                              const LocalRoom::Taken& taken) const;
    std::optional<Place> better_place(const LayerWork& work, const LoadRequest& request,
                                      std::int64_t bytes, int last);
    bool load(std::size_t index);
    void add_transfers(const LayerWork& work, const LoadRequest& request, int first);
    LoadRequest request_of(const LayerWork& work, int needed);

    LayerDraft& draft_;
    std::map<Piece, Held> held_;
};

}  // namespace okksim::kernels::layers
