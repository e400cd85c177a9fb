// SPDX-License-Identifier: Apache-2.0
#include "models/chip/order_check.h"

#include <algorithm>
#include <cstdint>

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
        stream.unordered.pop_front();
    }
}

OrderCheck::Tensors::Tensors(const isa::Command& command, const isa::MachineShape& machine)
    : views(isa::tensor_views(command, machine)), all{INT64_MAX, INT64_MIN} {
    for (int i = 0; i < views.size(); ++i) {
        if (!views[i].local) continue;
        isa::ByteInterval& own = touched[static_cast<std::size_t>(i)];
        own = isa::touched_bytes(views[i], machine);
        all.low = std::min(all.low, own.low);
        all.high = std::max(all.high, own.high);
    }
}

std::optional<Hazard> OrderCheck::compare(Entry& earlier, Entry& later) const {
    const Tensors& first = earlier.get_tensors(machine_);
    const Tensors& second = later.get_tensors(machine_);
    // Sections work on different buffers, mostly.
    if (first.all.high <= second.all.low || second.all.high <= first.all.low) return std::nullopt;
    for (int i = 0; i < first.views.size(); ++i) {
        const isa::TensorView& a = first.views[i];
        const isa::ByteInterval& of_a = first.touched[static_cast<std::size_t>(i)];
        for (int k = 0; k < second.views.size(); ++k) {
            const isa::TensorView& b = second.views[k];
            const isa::ByteInterval& of_b = second.touched[static_cast<std::size_t>(k)];
            const bool both_read = a.access == isa::Access::kRead && b.access == isa::Access::kRead;
            if (!a.local || !b.local || both_read) continue;
            if (of_a.high <= of_b.low || of_b.high <= of_a.low) continue;
            const auto place = parts_meet(earlier.command, a, later.command, b, machine_);
            if (place) return Hazard{earlier.command, later.command, a.operand, b.operand, *place};
        }
    }
    return std::nullopt;
}

std::optional<Hazard> OrderCheck::submitted(const isa::Command& command) {
    Stream& own = stream_of(command);
    wait(own, command);
    own.unordered.push_back(Entry{command, own.waited, nullptr});
    Entry& entry = own.unordered.back();
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

void OrderCheck::clear() { streams_.clear(); }

}  // namespace okksim::models
