// SPDX-License-Identifier: Apache-2.0
#include "sim/why/changed_run.h"

#include <algorithm>
#include <cstring>

#include "isa/base/fault.h"
#include "isa/rules.h"

namespace okksim::sim::why {

std::optional<std::vector<std::byte>> ChangedRun::results(const LineChange* change,
                                                          std::span<const std::size_t> events,
                                                          std::uint64_t address,
                                                          std::size_t bytes) {
    if (!port_) begin();
    std::optional<std::vector<std::byte>> found;
    if (carry_out(change, events)) {
        const std::byte* const at = port_->system_memory().pointer(address, bytes);
        if (at != nullptr) found.emplace(at, at + bytes);
    }
    if (!undo_->undo()) port_.reset();  // the log was too small
    return found;
}

void ChangedRun::begin() {
    port_.emplace(shape_);
    undo_.emplace(*port_);
    const std::vector<Event>& recorded = recording_.events();
    first_ = 0;
    while (first_ < recorded.size() && !recorded[first_].is_command) write(recorded[first_++]);
}

bool ChangedRun::carry_out(const LineChange* change, std::span<const std::size_t> events) {
    try {
        for (std::size_t i = first_; i < recording_.events().size(); ++i) {
            const Event& event = recording_.events()[i];
            if (!event.is_command) {
                keep(event);
                write(event);
                continue;
            }
            if (change == nullptr || !std::binary_search(events.begin(), events.end(), i)) {
                submit(event.command);
                continue;
            }
            if (change->kind == LineChange::Kind::kLeftOut) continue;
            const isa::Command changed = change->of(event.command);
            if (isa::check(changed, shape_, false)) return false;
            submit(changed);
        }
    } catch (const ProgramFault&) {
        return false;
    }
    return true;
}

void ChangedRun::submit(const isa::Command& command) {
    undo_->keep(command);
    port_->submit(command);
}

/// Returns the bytes of a data event in a lane, up to the lane's end.
std::size_t ChangedRun::local_bytes(const Event& event) const {
    const isa::LocalAddr address{static_cast<std::uint32_t>(event.address)};
    const auto left = static_cast<std::size_t>(shape_.local_bytes - shape_.offset_of(address));
    return std::min(event.data.size(), left);
}

void ChangedRun::keep(const Event& event) {
    if (!event.local) return undo_->keep_system(event.address, event.data.size());
    const isa::LocalAddr address{static_cast<std::uint32_t>(event.address)};
    undo_->keep_local(shape_.lane_of(address), shape_.offset_of(address),
                      static_cast<std::int64_t>(local_bytes(event)));
}

void ChangedRun::write(const Event& event) {
    if (!event.local) {
        std::byte* const to = port_->system_memory().pointer(event.address, event.data.size());
        if (to != nullptr) std::memcpy(to, event.data.data(), event.data.size());
        return;
    }
    const isa::LocalAddr address{static_cast<std::uint32_t>(event.address)};
    std::memcpy(port_->local_memory().pointer(address), event.data.data(), local_bytes(event));
}

}  // namespace okksim::sim::why
