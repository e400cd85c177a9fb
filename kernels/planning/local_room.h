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

/// Local memory over the sections of a plan: who has which bytes of every lane from which section
/// to which. Pure.
class LocalRoom {
 public:
    /// Addresses from `begin` to `end`, multiples of `line`.
    LocalRoom(std::int64_t begin, std::int64_t end, std::int64_t line)
        : begin_(begin), end_(end), line_(line) {}

    /// The lowest place that nobody has in the sections [first, last]; nothing when there is none.
    std::optional<std::int64_t> find(std::int64_t bytes, int first, int last) const;
    /// What is taken in sections up to a last one, for questions about several first ones.
    class Taken {
     public:
        /// The highest place that nobody has from the section `first` on, which is not before that
        /// of LocalRoom::taken(), and that is outside what is avoided.
        std::optional<std::int64_t> find_last(std::int64_t bytes, int first) const;
        /// Avoids these addresses, and no others.
        void avoid(std::vector<Addresses> avoided);

     private:
        friend class LocalRoom;
        struct Range {
            Addresses addresses;
            int last = 0;  ///< section
        };
        const LocalRoom* room_ = nullptr;
        std::vector<Range> ranges_;       ///< the highest end first
        std::vector<Addresses> avoided_;  ///< likewise
    };
    Taken taken(int first, int last) const;
    void take(std::int64_t address, std::int64_t bytes, int first, int last);
    /// Both.
    std::optional<std::int64_t> place(std::int64_t bytes, int first, int last);

 private:
    struct Block {
        std::int64_t begin = 0, end = 0;
        int first = 0, last = 0;
    };

    std::int64_t begin_, end_, line_;
    std::vector<Block> blocks_;  ///< by address
    std::vector<Block> by_end_;  ///< the same, the highest end first
};

}  // namespace okksim::kernels
