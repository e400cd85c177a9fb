// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <boost/circular_buffer.hpp>
#include <deque>
#include <memory>
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
/// A command is ordered behind its own engine's earlier commands, behind what it and they wait for,
/// and behind what that is ordered behind. The control processor's own loads and stores are not
/// watched.
class OrderCheck {
 public:
    /// `engines`: how many of them take commands.
    OrderCheck(const isa::MachineShape& machine, std::size_t engines)
        : machine_(machine), engines_(engines) {}

    /// The first hazard between this command and earlier ones. Commands come in program order.
    std::optional<Hazard> submitted(const isa::Command& command);
    /// A new program: its ids begin at 1 again.
    void clear();

 private:
    /// Everything up to an id of each kind of engine.
    using Reach = std::array<isa::CommandId, isa::kEngineKinds>;
    /// A command's tensors in local memory, and the bytes of a lane that each of them touches.
    struct Tensors {
        Tensors(const isa::Command& command, const isa::MachineShape& machine);

        isa::TensorViews views;
        std::array<isa::ByteInterval, isa::TensorViews::kMost> touched;
        isa::ByteInterval all;  ///< around what all of them touch
    };
    struct Entry {
        isa::Command command;
        Reach waited;                      ///< what comes before it, on other engines
        std::unique_ptr<Tensors> tensors;  ///< worked out when first compared

        const Tensors& get_tensors(const isa::MachineShape& machine) {
            if (!tensors) tensors = std::make_unique<Tensors>(command, machine);
            return *tensors;
        }
    };
    /// What one engine has been given, and how far its commands have waited for each kind.
    struct Stream {
        /// A parallel section with more open commands is looked at through its latest ones.
        static constexpr std::size_t kMostUnordered = 256;

        Stream(isa::Engine kind, std::uint16_t instance) : kind(kind), instance(instance) {}

        isa::Engine kind;
        std::uint16_t instance;
        /// Commands that some other engine has not waited for.
        boost::circular_buffer<Entry> unordered{kMostUnordered};
        Reach waited{};

        isa::CommandId waited_for(isa::Engine other) const {
            return waited[static_cast<std::size_t>(other)];
        }
    };

    Stream& stream_of(const isa::Command& command);
    /// Adds what the command waits for, and what comes before that.
    void wait(Stream& own, const isa::Command& command) const;
    /// Forgets the commands of a stream that all other engines have waited for.
    void forget_ordered(Stream& stream);
    std::optional<Hazard> compare(Entry& earlier, Entry& later) const;

    isa::MachineShape machine_;
    std::size_t engines_;
    std::deque<Stream> streams_;  ///< of the engines that have been given something
};

}  // namespace okksim::models
