// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace okksim::kernels {

/// Addresses from `begin` to before `end`.
struct Addresses {
    std::int64_t begin = 0, end = 0;
};

/// Allocations of local memory over the sections of a plan. An allocation has the same bytes in
/// every lane, from a first to a last section. Pure.
class LocalRoom {
 public:
    /// Addresses from `begin` to `end`, multiples of `line`.
    LocalRoom(std::int64_t begin, std::int64_t end, std::int64_t line)
        : begin_(begin), end_(end), line_(line) {}

    /// The lowest address that is free in the sections [first, last]; nothing if there is none.
    std::optional<std::int64_t> find(std::int64_t bytes, int first, int last) const;
    /// Allocations in sections up to a last one, for queries about several first sections.
    class Taken {
     public:
        /// The highest address that is free from the section `first` on and outside the avoided
        /// addresses. `first` must not be before that of LocalRoom::taken().
        std::optional<std::int64_t> find_last(std::int64_t bytes, int first) const;
        /// Sets the addresses to avoid.
        void avoid(std::vector<Addresses> avoided);

     private:
        friend class LocalRoom;
        struct Range {
            Addresses addresses;
            int last = 0;  ///< section
        };
        const LocalRoom* room_ = nullptr;
        std::vector<Range> ranges_;       ///< the highest end first
        std::vector<Addresses> avoided_;  ///< the highest end first
    };
    Taken taken(int first, int last) const;
    void take(std::int64_t address, std::int64_t bytes, int first, int last);
    /// Calls find() and take().
    std::optional<std::int64_t> place(std::int64_t bytes, int first, int last);

 private:
    struct Block {
        std::int64_t begin = 0, end = 0;
        int first = 0, last = 0;
    };

    std::int64_t begin_, end_, line_;
    std::vector<Block> blocks_;  ///< by address
    std::vector<Block> by_end_;  ///< by the end of the block, the highest one first
};

}  // namespace okksim::kernels
