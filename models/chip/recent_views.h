// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <new>

#include "isa/tensors.h"

namespace okksim::models {

/// The tensors of the commands that engines have been given last: those that are compared when they
/// are submitted are wanted again when they take effect.
class RecentViews {
 public:
    explicit RecentViews(const isa::MachineShape& machine) : machine_(machine) {}

    /// Of a command; they last until those of another command are asked for.
    const isa::TensorViews& of(const isa::Command& command) {
        const auto kind = static_cast<std::size_t>(command.info().engine);
        Slot& slot = slots_[kind][command.id % kSlots];
        if (slot.id == command.id && command.id != 0) return slot.views;
        slot.id = command.id;
        // In its place: a copy would take all of the room for tensors along.
        return *new (&slot.views) isa::TensorViews(isa::tensor_views(command, machine_));
    }
    /// Ids begin at 1 again.
    void clear() {
        for (auto& slots : slots_) {
            for (Slot& slot : slots) slot.id = 0;
        }
    }

 private:
    /// What queues hold, and some more.
    static constexpr std::size_t kSlots = 16;
    struct Slot {
        isa::CommandId id = 0;  ///< 0: none
        isa::TensorViews views;
    };
    isa::MachineShape machine_;
    std::array<std::array<Slot, kSlots>, isa::kEngineKinds> slots_;
};

}  // namespace okksim::models
