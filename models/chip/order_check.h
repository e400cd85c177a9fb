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
/// A command is ordered behind what it and its own engine's earlier commands wait for, and behind
/// those. The control processor's own loads and stores are not watched.
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
    /// What one engine has been given, and how far its commands have waited for each kind.
    struct Stream {
        isa::Engine kind;
        std::uint16_t instance;
        std::deque<Entry> unordered;  ///< commands that some other engine has not waited for
        std::array<isa::CommandId, isa::kEngineKinds> waited{};

        isa::CommandId waited_for(isa::Engine other) const {
            return waited[static_cast<std::size_t>(other)];
        }
    };

    Stream& stream_of(const isa::Command& command);
    /// Forgets the commands of a stream that all other engines have waited for.
    void forget_ordered(Stream& stream);
    std::optional<Hazard> compare(Entry& earlier, Entry& later) const;

    isa::MachineShape machine_;
    std::deque<Stream> streams_;  ///< of the engines that have been given something
};

}  // namespace okksim::models
