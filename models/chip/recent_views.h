// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <new>

#include "isa/tensors.h"

namespace okksim::models {

/// Cache of the tensors of the latest commands. The order check needs them at submission and other
/// checks need them again when the command takes effect.
class RecentViews {
 public:
    explicit RecentViews(const isa::MachineShape& machine) : machine_(machine) {}

    /// Returns the tensors of a command; valid until the next call for another command.
    const isa::TensorViews& of(const isa::Command& command) {
        const auto kind = static_cast<std::size_t>(command.info().engine);
        Slot& slot = slots_[kind][command.id % kSlots];
        if (slot.id == command.id && command.id != 0) return slot.views;
        slot.id = command.id;
        // Constructed in place, because a copy would copy all tensor slots.
        return *new (&slot.views) isa::TensorViews(isa::tensor_views(command, machine_));
    }
    /// Call when ids begin at 1 again.
    void clear() {
        for (auto& slots : slots_) {
            for (Slot& slot : slots) slot.id = 0;
        }
    }

 private:
    /// Covers the queue depths of usual machines.
    static constexpr std::size_t kSlots = 16;
    struct Slot {
        isa::CommandId id = 0;  ///< 0: none
        isa::TensorViews views;
    };
    isa::MachineShape machine_;
    std::array<std::array<Slot, kSlots>, isa::kEngineKinds> slots_;
};

}  // namespace okksim::models
