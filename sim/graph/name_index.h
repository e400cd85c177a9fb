// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace okksim::sim::graph {

/// Finds things of a list by name, in about eight bytes for each: it keeps positions alone, and
/// asks `name_of(position)` for the names, which must not change while they are in it.
template <typename NameOf>
class NameIndex {
 public:
    explicit NameIndex(NameOf name_of) : name_of_(std::move(name_of)) {}

    std::optional<std::uint32_t> find(std::string_view name) const {
        const std::uint32_t found = slots_.empty() ? kEmpty : slots_[slot_of(name)];
        if (found == kEmpty) return std::nullopt;
        return found;
    }

    /// False when the name is taken.
    bool insert(std::uint32_t position) {
        if (4 * (count_ + 1) > 3 * slots_.size()) grow();
        std::uint32_t& slot = slots_[slot_of(name_of_(position))];
        if (slot != kEmpty) return false;
        slot = position;
        ++count_;
        return true;
    }

    void erase(std::string_view name) {
        std::size_t hole = slot_of(name);
        if (slots_[hole] == kEmpty) return;
        slots_[hole] = kEmpty;
        --count_;
        // What stood behind it because the place was taken moves up.
        for (std::size_t at = next(hole); slots_[at] != kEmpty; at = next(at)) {
            const std::uint32_t moved = std::exchange(slots_[at], kEmpty);
            slots_[slot_of(name_of_(moved))] = moved;
        }
    }

 private:
    static constexpr std::uint32_t kEmpty = 0xFFFFFFFF;
    static constexpr std::size_t kFirstSlots = 16;

    std::size_t next(std::size_t slot) const { return (slot + 1) & (slots_.size() - 1); }

    /// Where the name is, or where it belongs.
    std::size_t slot_of(std::string_view name) const {
        std::size_t slot = std::hash<std::string_view>{}(name) & (slots_.size() - 1);
        while (slots_[slot] != kEmpty && name_of_(slots_[slot]) != name) slot = next(slot);
        return slot;
    }

    void grow() {
        const std::vector<std::uint32_t> old = std::exchange(
            slots_,
            std::vector<std::uint32_t>(slots_.empty() ? kFirstSlots : 2 * slots_.size(), kEmpty));
        for (const std::uint32_t position : old) {
            if (position != kEmpty) slots_[slot_of(name_of_(position))] = position;
        }
    }

    NameOf name_of_;
    std::vector<std::uint32_t> slots_;  ///< a power of two of them, a quarter empty at least
    std::size_t count_ = 0;
};

}  // namespace okksim::sim::graph
