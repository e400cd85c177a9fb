// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace okksim::sim::graph {

/// Finds items of a list by name, in about eight bytes per item. It stores only positions and calls
/// `name_of(position)`, whose names must not change. A slot also holds the free bits of the name's
/// hash, so other names are rarely compared.
template <typename NameOf>
class NameIndex {
 public:
    explicit NameIndex(NameOf name_of) : name_of_(std::move(name_of)) {}

    std::optional<std::uint32_t> find(std::string_view name) const {
        const std::uint32_t found = slots_.empty() ? kEmpty : slots_[slot_of(name, hash(name))];
        if (found == kEmpty) return std::nullopt;
        return position(found);
    }

    /// Reserves space for `count` items, so that inserting them does not ask for earlier names
    /// again.
    void reserve(std::size_t count) {
        const std::size_t slots = std::bit_ceil(count + count / 3 + kFirstSlots);
        if (slots > slots_.size()) rebuild(slots, 0);
    }

    /// Returns false if the name is taken.
    bool insert(std::uint32_t at) {
        const bool is_full = 4 * (count_ + 1) > 3 * slots_.size();
        if (is_full || at >= empty_position()) {
            rebuild(is_full ? std::max(2 * slots_.size(), kFirstSlots) : slots_.size(), at);
        }
        const std::string_view name = name_of_(at);
        const std::size_t code = hash(name);
        std::uint32_t& slot = slots_[slot_of(name, code)];
        if (slot != kEmpty) return false;
        slot = entry(at, code);
        ++count_;
        return true;
    }

    void erase(std::string_view name) {
        std::size_t hole = slot_of(name, hash(name));
        if (slots_[hole] == kEmpty) return;
        slots_[hole] = kEmpty;
        --count_;
        // Entries after the hole are inserted again, as they may have been displaced by it.
        for (std::size_t at = next(hole); slots_[at] != kEmpty; at = next(at)) {
            place(position(std::exchange(slots_[at], kEmpty)));
        }
    }

 private:
    static constexpr std::uint32_t kEmpty = 0xFFFFFFFF;
    static constexpr std::size_t kFirstSlots = 16;

    static std::size_t hash(std::string_view name) { return std::hash<std::string_view>{}(name); }
    std::size_t next(std::size_t slot) const { return (slot + 1) & (slots_.size() - 1); }
    /// The position with all bits set marks an empty slot, so real positions are smaller.
    std::uint32_t empty_position() const { return kEmpty >> (32 - position_bits_); }
    std::uint32_t position(std::uint32_t slot) const { return slot & empty_position(); }
    std::uint32_t entry(std::uint32_t at, std::size_t code) const {
        // The low bits of the hash select the slot, so the tag uses the high bits.
        return at | (static_cast<std::uint32_t>(code >> 32) & ~empty_position());
    }

    /// Returns the slot with the name, or the free slot for it.
    std::size_t slot_of(std::string_view name, std::size_t code) const {
        const std::uint32_t tag = entry(0, code);
        std::size_t slot = code & (slots_.size() - 1);
        while (slots_[slot] != kEmpty && ((slots_[slot] & ~empty_position()) != tag ||
                                          name_of_(position(slots_[slot])) != name)) {
            slot = next(slot);
        }
        return slot;
    }

    void place(std::uint32_t at) {
        const std::string_view name = name_of_(at);
        const std::size_t code = hash(name);
        slots_[slot_of(name, code)] = entry(at, code);
    }

    /// Rebuilds the table for positions up to `most`, and for those expected before it is full.
    void rebuild(std::size_t slots, std::uint32_t most) {
        const std::uint32_t mask = empty_position();
        const std::vector<std::uint32_t> old =
            std::exchange(slots_, std::vector<std::uint32_t>(slots, kEmpty));
        for (const std::uint32_t slot : old) {
            if (slot != kEmpty) most = std::max(most, slot & mask);
        }
        const std::size_t positions = std::max(slots, 2 * (std::size_t{most} + 1));
        position_bits_ = std::min(static_cast<int>(std::bit_width(positions)), 32);
        for (const std::uint32_t slot : old) {
            if (slot != kEmpty) place(slot & mask);
        }
    }

    NameOf name_of_;
    std::vector<std::uint32_t> slots_;  ///< power-of-two size, at least a quarter empty
    std::size_t count_ = 0;
    int position_bits_ = 1;
};

}  // namespace okksim::sim::graph
