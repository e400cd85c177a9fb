// SPDX-License-Identifier: Apache-2.0
#include "models/chip/order_check.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "models/memory/footprint.h"

namespace okksim::models {
namespace {

/// The first of commands in order of their ids whose id is greater.
template <typename Commands>
auto first_after(Commands& commands, isa::CommandId id) {
    return std::partition_point(commands.begin(), commands.end(),
                                [&](const auto& entry) { return entry.command.id <= id; });
}

std::optional<LocalPlace> parts_meet(const isa::Command& a, const isa::TensorView& view_a,
                                     const isa::Command& b, const isa::TensorView& view_b,
                                     const isa::MachineShape& machine) {
    const auto visit = [&](const isa::Command& command, const isa::TensorView& view,
                           const auto& visitor) {
        if (view.access == isa::Access::kRead) {
            for_each_part(command, view, machine, visitor);
        } else {
            for_each_written_part(command, view, machine, visitor);
        }
    };
    std::optional<LocalPlace> place;
    visit(a, view_a, [&](const isa::TensorView& x) {
        visit(b, view_b, [&](const isa::TensorView& y) {
            if (!place) place = shared_place(x, y, machine);
        });
    });
    return place;
}

}  // namespace

OrderCheck::Stream& OrderCheck::stream_of(const isa::Command& command) {
    const isa::Engine kind = command.info().engine;
    for (Stream& stream : streams_) {
        if (stream.kind == kind && stream.instance == command.instance) return stream;
    }
    return streams_.emplace_back(kind, command.instance);
}

void OrderCheck::wait(Stream& own, const isa::Command& command) const {
    for (std::size_t kind = 0; kind < isa::kEngineKinds; ++kind) {
        const isa::CommandId id = command.wait(static_cast<isa::Engine>(kind));
        if (id <= own.waited[kind]) continue;
        own.waited[kind] = id;
        for (const Stream& other : streams_) {
            if (&other == &own || other.kind != static_cast<isa::Engine>(kind)) continue;
            // Each of them has waited for all that the ones before it have.
            const auto behind = first_after(other.unordered, id);
            if (behind == other.unordered.begin()) continue;
            const Reach& reach = std::prev(behind)->waited;
            for (std::size_t k = 0; k < isa::kEngineKinds; ++k) {
                own.waited[k] = std::max(own.waited[k], reach[k]);
            }
        }
    }
}

void OrderCheck::forget_ordered(Stream& stream) {
    if (streams_.size() < engines_) return;  // one that has had nothing yet waits for nothing
    const auto is_ordered = [&](isa::CommandId id) {
        return std::all_of(streams_.begin(), streams_.end(), [&](const Stream& other) {
            return &other == &stream || other.waited_for(stream.kind) >= id;
        });
    };
    while (!stream.unordered.empty() && is_ordered(stream.unordered.front().command.id)) {
        if (auto& extents = stream.unordered.front().extents) spare_.push_back(std::move(extents));
        stream.unordered.pop_front();
    }
}

const OrderCheck::Extents& OrderCheck::extents_of(Entry& entry) {
    if (entry.extents) return *entry.extents;
    if (spare_.empty()) {
        entry.extents = std::make_unique<Extents>();
    } else {
        entry.extents = std::move(spare_.back());
        spare_.pop_back();
    }
    Extents& extents = *entry.extents;
    const isa::TensorViews& views = views_.of(entry.command);
    extents.count = views.size();
    extents.all = {INT64_MAX, INT64_MIN};
    for (int i = 0; i < views.size(); ++i) {
        isa::ByteInterval& own = extents.touched[static_cast<std::size_t>(i)];
        own = {};
        if (!views[i].local) continue;
        own = isa::touched_bytes(views[i], machine_);
        extents.all.low = std::min(extents.all.low, own.low);
        extents.all.high = std::max(extents.all.high, own.high);
    }
    return extents;
}

/// Tensors of two commands whose extents meet.
std::optional<Hazard> OrderCheck::meet(const isa::Command& first, int i, const isa::Command& second,
                                       int k) const {
    const isa::TensorViews of_first = isa::tensor_views(first, machine_);
    const isa::TensorViews of_second = isa::tensor_views(second, machine_);
    const isa::TensorView& a = of_first[i];
    const isa::TensorView& b = of_second[k];
    const bool both_read = a.access == isa::Access::kRead && b.access == isa::Access::kRead;
    if (!a.local || !b.local || both_read) return std::nullopt;
    const auto place = parts_meet(first, a, second, b, machine_);
    if (!place) return std::nullopt;
    return Hazard{first, second, a.operand, b.operand, *place};
}

std::optional<Hazard> OrderCheck::compare(Entry& earlier, Entry& later) {
    const Extents& first = extents_of(earlier);
    const Extents& second = extents_of(later);
    // Sections work on different buffers, mostly.
    if (first.all.high <= second.all.low || second.all.high <= first.all.low) return std::nullopt;
    for (int i = 0; i < first.count; ++i) {
        const isa::ByteInterval& of_a = first.touched[static_cast<std::size_t>(i)];
        for (int k = 0; k < second.count; ++k) {
            const isa::ByteInterval& of_b = second.touched[static_cast<std::size_t>(k)];
            if (of_a.high <= of_b.low || of_b.high <= of_a.low) continue;
            if (auto hazard = meet(earlier.command, i, later.command, k)) return hazard;
        }
    }
    return std::nullopt;
}

std::optional<Hazard> OrderCheck::submitted(const isa::Command& command) {
    Stream& own = stream_of(command);
    wait(own, command);
    Entry& entry = own.add(command);
    for (Stream& other : streams_) {
        if (&other == &own) continue;
        forget_ordered(other);
        const auto open = first_after(other.unordered, own.waited_for(other.kind));
        for (auto earlier = open; earlier != other.unordered.end(); ++earlier) {
            if (auto hazard = compare(*earlier, entry)) return hazard;
        }
    }
    return std::nullopt;
}

void OrderCheck::clear() {
    streams_.clear();
    views_.clear();
}

}  // namespace okksim::models
