// SPDX-License-Identifier: Apache-2.0
#include "sim/why/origin_search.h"

#include <algorithm>
#include <map>
#include <utility>

namespace okksim::sim::why {
namespace {

/// Maximum number of elements followed per operand; further elements are only counted.
constexpr std::size_t kMostElements = 4096;

class Search {
 public:
    Search(const Recording& recording, const isa::MachineShape& machine, const OriginLimits& limits)
        : recording_(recording), machine_(machine), limits_(limits) {}

    OriginTree run(const Place& place) {
        asked_.push_back({nullptr, 1, {}});
        want(place, {kAsked, 0});
        for (std::size_t i = recording_.events().size(); i-- > 0 && !wanted_.empty();) look_at(i);
        for (const auto& [place_wanted, whose] : wanted_) note(place_wanted, whose, std::nullopt);
        tree_.asked = asked_.front().writers.front();
        return std::move(tree_);
    }

 private:
    static constexpr std::size_t kAsked = SIZE_MAX;

    /// The operand of an origin for which the search needs the writer of an element.
    struct Whose {
        std::size_t origin;
        std::size_t operand;
    };

    void want(const Place& place, const Whose& whose) { wanted_.emplace(place, whose); }

    /// Removes the elements that an event wrote from `wanted_`.
    void look_at(std::size_t number) {
        const Event& event = recording_.events()[number];
        std::vector<std::pair<Place, Whose>> hits;
        if (event.is_command) {
            for (const isa::TensorView& view : isa::tensor_views(event.command, machine_)) {
                if (view.access != isa::Access::kRead) take_hits(view, hits);
            }
        } else {
            const Place first = place_of(event, machine_);
            take_range({first.local, first.lane, first.lane + 1}, first.at,
                       first.at + static_cast<std::int64_t>(event.data.size()), nullptr, hits);
        }
        if (event.is_fresh) {
            for (const auto& [place, whose] : hits) note(place, whose, std::nullopt);
            return;
        }
        for (const auto& [place, whose] : hits) note(place, whose, number);
        for (const auto& [place, whose] : hits) follow(place, whose, number);
    }

    void take_hits(const isa::TensorView& view, std::vector<std::pair<Place, Whose>>& hits) {
        const isa::ByteInterval touched = isa::touched_bytes(view, machine_);
        take_range({view.local, 0, view.local ? machine_.lanes : 1}, touched.low, touched.high,
                   &view, hits);
    }

    /// A range of lanes; system memory counts as lane 0.
    struct Lanes {
        bool local;
        std::int32_t first, end;
    };

    /// Moves the wanted elements in [low, high) to `hits`; with `view`, only elements of the view.
    void take_range(const Lanes& lanes, std::int64_t low, std::int64_t high,
                    const isa::TensorView* view, std::vector<std::pair<Place, Whose>>& hits) {
        const bool local = lanes.local;
        // The order is memory, then lane, then byte.
        for (std::int32_t lane = lanes.first; lane < lanes.end; ++lane) {
            auto at = wanted_.lower_bound(Place{local, lane, low, 0});
            if (at == wanted_.end() || at->first.local != local) return;
            if (at->first.lane > lane) {
                lane = at->first.lane - 1;  // no wanted elements in between
                continue;
            }
            while (at != wanted_.end() && at->first.local == local && at->first.lane == lane &&
                   at->first.at < high) {
                if (view == nullptr || element_at(*view, at->first, machine_)) {
                    hits.emplace_back(at->first, at->second);
                    at = wanted_.erase(at);
                } else {
                    ++at;
                }
            }
        }
    }

    OriginOperand& operand(const Whose& whose) {
        return whose.origin == kAsked ? asked_.front()
                                      : tree_.origins[whose.origin].operands[whose.operand];
    }

    void note(const Place& place, const Whose& whose, std::optional<std::size_t> event) {
        auto& writers = operand(whose).writers;
        const auto known =
            std::find_if(writers.begin(), writers.end(),
                         [&](const Written& written) { return written.event == event; });
        if (known != writers.end()) {
            ++known->count;
            return;
        }
        writers.push_back({event, 1, place, 0, std::nullopt});
    }

    /// Searches the sources of the command's result if the element represents the operand.
    void follow(const Place& place, const Whose& whose, std::size_t number) {
        auto& writers = operand(whose).writers;
        Written& written = writers.back();
        const std::size_t depth =
            whose.origin == kAsked ? 0 : tree_.origins[whose.origin].depth + 1;
        if (written.event != number || written.place != place) return;
        if (depth >= limits_.depth || writers.size() > limits_.width) return;
        if (!recording_.events()[number].is_command || tree_.origins.size() >= limits_.most) return;
        const auto [known, is_new] =
            known_.try_emplace(std::pair(number, place), tree_.origins.size());
        written.origin = known->second;
        if (is_new) add_origin(place, depth, number);
    }

    void add_origin(const Place& place, std::size_t depth, std::size_t number) {
        const isa::Command& command = recording_.events()[number].command;
        const isa::TensorViews views = isa::tensor_views(command, machine_);
        const std::size_t self = tree_.origins.size();
        Origin origin;
        origin.event = number;
        origin.place = place;
        origin.depth = depth;
        tree_.origins.push_back(origin);
        const auto index = element_at(views[0], place, machine_);
        if (!index) return;
        for (int i = 0; i < views.size(); ++i) {
            if (views[i].access == isa::Access::kWrite) continue;
            const std::vector<Place> sources =
                sources_of(command, views, i, *index, machine_, kMostElements);
            if (sources.empty()) continue;
            auto& operands = tree_.origins[self].operands;
            operands.push_back({views[i].operand, sources.size(), {}});
            for (const Place& source : sources) want(source, {self, operands.size() - 1});
        }
    }

    const Recording& recording_;
    const isa::MachineShape& machine_;
    OriginLimits limits_;
    OriginTree tree_;
    std::vector<OriginOperand> asked_;
    std::multimap<Place, Whose> wanted_;
    std::map<std::pair<std::size_t, Place>, std::size_t> known_;
};

}  // namespace

OriginTree find_origins(const Recording& recording, const isa::MachineShape& machine,
                        const Place& place, const OriginLimits& limits) {
    return Search(recording, machine, limits).run(place);
}

}  // namespace okksim::sim::why
