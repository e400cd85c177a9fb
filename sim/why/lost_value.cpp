// SPDX-License-Identifier: Apache-2.0
#include "sim/why/lost_value.h"

#include <algorithm>

namespace okksim::sim::why {

std::optional<std::size_t> find_lost_value(const Recording& recording,
                                           const isa::MachineShape& machine, std::size_t event,
                                           const Place& place) {
    const auto& events = recording.events();
    for (std::size_t i = event + 1; i-- > 0 && events[i].launch == events[event].launch;) {
        // The processor may have read the value before its own store.
        if (!events[i].is_command) return std::nullopt;
        const isa::TensorViews views = isa::tensor_views(events[i].command, machine);
        const auto touches = [&](isa::Access other) {
            return std::ranges::any_of(views, [&](const isa::TensorView& view) {
                return view.access != other && view.local == place.local &&
                       element_at(view, place, machine);
            });
        };
        if (touches(isa::Access::kWrite)) return std::nullopt;  // it reads the value
        if (i == event || !touches(isa::Access::kRead)) continue;
        const bool has_source = std::ranges::any_of(
            views, [](const isa::TensorView& view) { return view.access == isa::Access::kRead; });
        return has_source ? std::optional(i) : std::nullopt;
    }
    return std::nullopt;
}

}  // namespace okksim::sim::why
