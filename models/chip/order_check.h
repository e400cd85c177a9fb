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

/// Data race: two unordered commands of different engines touch the same local memory, and one of
/// them writes. Their order depends on timing.
struct Hazard {
    isa::Command first;  ///< in program order
    isa::Command second;
    const char* first_operand = nullptr;
    const char* second_operand = nullptr;
    LocalPlace place;
};

/// Finds data races in parallel sections from the program alone, so the result does not depend on
/// time. A command comes after earlier commands of its engine and after the commands that these
/// wait for, transitively. The control processor's own loads and stores are not checked.
class OrderCheck {
 public:
    /// `engines`: number of engines that take commands.
    OrderCheck(const isa::MachineShape& machine, std::size_t engines)
        : machine_(machine), engines_(engines), views_(machine) {}

    /// Returns the first hazard between this command and earlier ones. Commands must come in
    /// program order.
    std::optional<Hazard> submitted(const isa::Command& command);
    /// Returns the tensors of a command, possibly from a cache. Valid until the next call.
    const isa::TensorViews& views_of(const isa::Command& command) { return views_.of(command); }
    /// Starts a new program, whose ids begin at 1 again.
    void clear();

 private:
    /// For each kind of engine, the id up to which all commands are ordered.
    using Reach = std::array<isa::CommandId, isa::kEngineKinds>;
    /// Local memory that a command touches.
    struct Extents {
        int count = 0;  ///< number of tensors, with those in other memories, whose extent is empty
        std::array<isa::ByteInterval, isa::TensorViews::kMost> touched;  ///< in a lane
        isa::ByteInterval all;                                           ///< union of the extents
    };
    struct Entry {
        isa::Command command;
        Reach waited;                      ///< predecessors on other engines
        std::unique_ptr<Extents> extents;  ///< worked out when first compared
    };
    /// The commands of one engine, and how far they have waited for each kind.
    struct Stream {
        /// Largest number of open commands that are compared; in larger sections only the latest
        /// are.
        static constexpr std::size_t kMostUnordered = 256;
        /// Initial capacity. Most sections are small, and less memory stays in the cache better.
        static constexpr std::size_t kFewUnordered = 8;

        Stream(isa::Engine kind, std::uint16_t instance) : kind(kind), instance(instance) {}

        isa::Engine kind;
        std::uint16_t instance;
        /// Commands that at least one other engine has not waited for.
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
    /// Adds the commands that `command` waits for, and their predecessors.
    void wait(Stream& own, const isa::Command& command) const;
    /// Removes the commands of a stream that all other engines have waited for.
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
