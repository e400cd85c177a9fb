// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <deque>
#include <optional>

#include "isa/tensors.h"
#include "models/memory/overlap.h"

namespace okksim::models {

/// Two commands of different engines that touch the same local memory, one of them writing, and
/// that nothing orders: which comes first depends on timing.
struct Hazard {
    isa::Command first;  ///< in program order
    isa::Command second;
    const char* first_operand = nullptr;
    const char* second_operand = nullptr;
    LocalPlace place;
};

/// Finds hazards in parallel sections from the program alone: the result does not depend on time.
/// A command is ordered behind what it waits for and behind its own engine's earlier commands. The
/// control processor's own loads and stores are not watched.
class OrderCheck {
 public:
    explicit OrderCheck(const isa::MachineShape& machine) : machine_(machine) {}

    /// The first hazard between this command and earlier ones. Commands come in program order.
    std::optional<Hazard> submitted(const isa::Command& command);
    /// A new program: its ids begin at 1 again.
    void clear();

 private:
    struct Entry {
        isa::Command command;
        std::optional<isa::TensorViews> views;  ///< worked out when first compared

        const isa::TensorViews& get_views(const isa::MachineShape& machine) {
            if (!views) views = isa::tensor_views(command, machine);
            return *views;
        }
    };
    /// What one engine has been given, and how far its latest command waits for the other engine.
    struct Stream {
        std::deque<Entry> unordered;  ///< commands the other engine has not waited for
        isa::CommandId other_done = 0;
    };

    isa::MachineShape machine_;
    std::array<Stream, 2> streams_;
};

}  // namespace okksim::models
