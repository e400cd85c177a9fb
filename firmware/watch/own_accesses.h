// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "firmware/launch/launch_state.h"
#include "firmware/launch/memory_place.h"
#include "firmware/watch/access_watch.h"

namespace okksim::firmware {

/// Judges the accesses of the kernel's own code through its pointers. It finds uses before the
/// engines are done, accesses outside of the kernel's memory, and uses of uninitialised values. It
/// also reports stores (ContextOptions::processor_stored).
class OwnAccesses : private AccessListener {
 public:
    /// `pending` holds the commands that the kernel has not waited for. With `only_gaps`, the class
    /// sees only accesses outside of allocations, in whole pages (ContextOptions::gaps_around).
    /// That costs next to nothing.
    OwnAccesses(LaunchState& launch, const std::vector<PendingCommand>& pending, bool only_gaps);

    void begin_launch();
    void end_launch();
    /// The kernel gets a pointer.
    void given(const GivenPointer& pointer);
    void kernel_goes_on() {
        if (watch_.has_opened() || !only_gaps_) resume();
    }
    /// Stops the watch and reports the findings so far.
    void kernel_stops();
    /// The pointers of this launch, and stale ones.
    const std::vector<GivenPointer>& pointers() const { return pointers_; }
    /// Returns whether the class has stopped seeing the kernel's accesses.
    bool is_lost() const { return is_lost_; }
    /// The unseen time, after end_launch(); nothing if the class has seen all accesses.
    std::optional<UnseenTime> unseen() const { return only_gaps_ ? std::nullopt : watch_.unseen(); }
    /// A system call of the kernel is about to use bytes of the host's memory, or has stored some.
    /// `site` is the return address of the call.
    void system_uses(const void* begin, std::uint64_t bytes) { watch_.open(begin, bytes); }
    void system_stored(const void* begin, std::uint64_t bytes, const void* site);

 private:
    enum class Mistake : std::uint8_t { kEarly, kOutside, kBehind, kUnwritten };
    struct Use {
        Mistake mistake;
        MemoryPlace place;
        std::uint64_t bytes = 1;  ///< kBehind: the distance
        bool stores = false;
        bool writes = false;     ///< kEarly: the command writes; otherwise it reads
        PendingCommand pending;  ///< kEarly
        RawCallStack stack;
        std::string problem;  ///< kUnwritten: the problem at the time of the load
    };
    struct Store {
        MemoryPlace first;
        std::uint64_t bytes = 0;
        const void* site = nullptr;
        bool exact = true;
    };

    bool is_clean(const MemoryPlace& first, std::uint64_t bytes) override;
    bool touches(const MemoryPlace& place, bool stores, const RawCallStack& stack) override;
    std::uint64_t undefined_bytes(const MemoryPlace& first, std::uint64_t bytes) override;
    bool has_stored(const MemoryPlace& first, std::uint64_t bytes) const override;
    void uses(const MemoryPlace& place, const RawCallStack& stack) override;
    void leaves_memory(const MemoryPlace& first, std::uint64_t distance, bool stores,
                       const RawCallStack& stack) override;
    void stored(const MemoryPlace& first, std::span<const std::byte> data,
                const RawCallStack& stack, StoreFacts facts) override;
    void stored_in_part(const MemoryPlace& first, std::span<const std::byte> data,
                        const RawCallStack& stack, StoreFacts facts);
    void may_have_stored(const MemoryPlace& first, std::uint64_t bytes) override;
    bool wants_each_store() const override;
    void lost() override { is_lost_ = true; }
    void tell_lost();

    std::optional<std::string> problem_outside(const MemoryPlace& place, std::uint64_t bytes) const;
    std::optional<std::string> problem_of_load(const MemoryPlace& place, std::uint64_t bytes) const;
    void report(const Use& use);
    std::string text_of(const Use& use, const std::string& pointer) const;
    /// Returns the pointer that the kernel has most likely used for an access.
    const GivenPointer& pointer_to(const MemoryPlace& place) const;

    void resume();
    void note_written(const MemoryPlace& first, std::uint64_t bytes);
    bool is_written(const MemoryPlace& place) const;

    LaunchState& launch_;
    const std::vector<PendingCommand>& pending_;
    bool only_gaps_;
    AccessWatch watch_;
    std::vector<GivenPointer> pointers_;
    std::vector<Use> uses_;
    std::vector<Store> stores_;
    std::vector<std::pair<MemoryPlace, std::uint64_t>> possible_stores_;
    std::vector<Store> undefined_copies_;  ///< the first copies
    /// The memory that they have written: begin and end by memory_key().
    std::map<std::uint64_t, std::uint64_t> written_;
    std::uint64_t issued_ = 0, done_ = 0;  ///< counts of commands when the kernel last continued
    const void* last_own_site_ = nullptr;  ///< site of the last store outside of the C library
    bool is_lost_ = false;
    bool is_lost_told_ = false;
};

}  // namespace okksim::firmware
