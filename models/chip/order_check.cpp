// SPDX-License-Identifier: Apache-2.0
#include "models/chip/order_check.h"

#include <algorithm>

#include "models/memory/footprint.h"

namespace okksim::models {
namespace {

// A parallel section with more open commands than this is looked at through its latest ones.
constexpr std::size_t kMaxUnordered = 256;

std::optional<LocalPlace> parts_meet(const isa::Command& a, const isa::TensorView& view_a,
                                     const isa::Command& b, const isa::TensorView& view_b,
                                     const isa::MachineShape& machine) {
    std::optional<LocalPlace> place;
    for_each_part(a, view_a, machine, [&](const isa::TensorView& x) {
        for_each_part(b, view_b, machine, [&](const isa::TensorView& y) {
            if (!place) place = shared_place(x, y, machine);
        });
    });
    return place;
}

}  // namespace

std::optional<Hazard> OrderCheck::submitted(const isa::Command& command) {
    const bool is_gdma = command.info().engine == isa::Engine::kGdma;
    Stream& own = streams_[is_gdma ? 0 : 1];
    Stream& other = streams_[is_gdma ? 1 : 0];
    own.other_done = std::max(own.other_done, is_gdma ? command.wait_bdc : command.wait_gdma);
    while (!other.unordered.empty() && other.unordered.front().command.id <= own.other_done) {
        other.unordered.pop_front();
    }
    own.unordered.push_back({command, std::nullopt});
    if (own.unordered.size() > kMaxUnordered) own.unordered.pop_front();
    Entry& entry = own.unordered.back();
    for (Entry& earlier : other.unordered) {
        for (const isa::TensorView& a : earlier.get_views(machine_)) {
            for (const isa::TensorView& b : entry.get_views(machine_)) {
                const bool both_read =
                    a.access == isa::Access::kRead && b.access == isa::Access::kRead;
                if (!a.local || !b.local || both_read) continue;
                const auto place = parts_meet(earlier.command, a, command, b, machine_);
                if (place) return Hazard{earlier.command, command, a.operand, b.operand, *place};
            }
        }
    }
    return std::nullopt;
}

void OrderCheck::clear() { streams_ = {}; }

}  // namespace okksim::models
