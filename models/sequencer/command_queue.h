// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "isa/command.h"
#include "models/common/units.h"

namespace okksim::models {

/// A command in its engine's queue.
struct QueuedCommand {
    isa::Command command;
    Picoseconds queued;        ///< when it was written
    std::uint64_t number = 0;  ///< in program order over all engines
};

/// First in, first out. One block of memory grows to the largest number of commands so far.
class CommandQueue {
 public:
    std::size_t size() const { return size_; }
    bool is_empty() const { return size_ == 0; }
    const QueuedCommand& front() const { return slots_[first_]; }
    /// Adds a last element for the caller to fill in. Invalidates earlier results of front().
    QueuedCommand& push() {
        if (size_ == slots_.size()) grow();
        return slots_[(first_ + size_++) & (slots_.size() - 1)];
    }
    void pop() {
        first_ = (first_ + 1) & (slots_.size() - 1);
        --size_;
    }
    void clear() { first_ = size_ = 0; }

 private:
    void grow() {
        std::vector<QueuedCommand> larger(slots_.empty() ? kFirstSlots : 2 * slots_.size());
        for (std::size_t i = 0; i < size_; ++i) {
            larger[i] = slots_[(first_ + i) & (slots_.size() - 1)];
        }
        slots_ = std::move(larger);
        first_ = 0;
    }

    static constexpr std::size_t kFirstSlots = 16;
    static_assert(std::has_single_bit(kFirstSlots), "indices wrap by masking");

    std::vector<QueuedCommand> slots_;
    std::size_t first_ = 0;
    std::size_t size_ = 0;
};

}  // namespace okksim::models
