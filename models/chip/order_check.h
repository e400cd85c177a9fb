// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <boost/circular_buffer.hpp>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "isa/tensors.h"
#include "models/chip/recent_views.h"
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
        : machine_(machine), engines_(engines), views_(machine) {}

    /// The first hazard between this command and earlier ones. Commands come in program order.
    std::optional<Hazard> submitted(const isa::Command& command);
    /// The tensors of a command, which may be at hand; they last until the next call.
    const isa::TensorViews& views_of(const isa::Command& command) { return views_.of(command); }
    /// A new program: its ids begin at 1 again.
    void clear();

 private:
    /// Everything up to an id of each kind of engine.
    using Reach = std::array<isa::CommandId, isa::kEngineKinds>;
    /// What a command touches of local memory.
    struct Extents {
        int count = 0;  ///< of tensors, those in other memories included; their extent is empty
        std::array<isa::ByteInterval, isa::TensorViews::kMost> touched;  ///< in a lane
        isa::ByteInterval all;  ///< around what all of them touch
    };
    struct Entry {
        isa::Command command;
        Reach waited;                      ///< what comes before it, on other engines
        std::unique_ptr<Extents> extents;  ///< worked out when first compared
    };
    /// What one engine has been given, and how far its commands have waited for each kind.
    struct Stream {
        /// A parallel section with more open commands is looked at through its latest ones.
        static constexpr std::size_t kMostUnordered = 256;
        /// Most sections have few. The less memory is gone through, the more of it stays at hand.
        static constexpr std::size_t kFewUnordered = 8;

        Stream(isa::Engine kind, std::uint16_t instance) : kind(kind), instance(instance) {}

        isa::Engine kind;
        std::uint16_t instance;
        /// Commands that some other engine has not waited for.
        boost::circular_buffer<Entry> unordered{kFewUnordered};
        Reach waited{};

        Entry& add(const isa::Command& command) {
            if (unordered.full() && unordered.capacity() < kMostUnordered) {
                unordered.set_capacity(2 * unordered.capacity());
            }
            unordered.push_back(Entry{command, waited, nullptr});
            return unordered.back();
        }

        isa::CommandId waited_for(isa::Engine other) const {
            return waited[static_cast<std::size_t>(other)];
        }
    };

    Stream& stream_of(const isa::Command& command);
    /// Adds what the command waits for, and what comes before that.
    void wait(Stream& own, const isa::Command& command) const;
    /// Forgets the commands of a stream that all other engines have waited for.
    void forget_ordered(Stream& stream);
    const Extents& extents_of(Entry& entry);
    std::optional<Hazard> compare(Entry& earlier, Entry& later);
    std::optional<Hazard> meet(const isa::Command& first, int i, const isa::Command& second,
                               int k) const;

    isa::MachineShape machine_;
    std::size_t engines_;
    std::deque<Stream> streams_;  ///< of the engines that have been given something
    std::vector<std::unique_ptr<Extents>> spare_;  ///< of commands that are ordered now
    RecentViews views_;
};

}  // namespace okksim::models
