// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "firmware/launch/memory_place.h"

namespace okksim::firmware::host {

/// Hands out ranges of device memory: first fit, aligned to pages. While there is room, nobody's
/// bytes lie between two ranges, so that what leaves one of them does not meet another: as many as
/// the lower one has, within limits. What has been freed may rest: it is handed out again when
/// newer such ranges have more bytes than are to rest, or there is no other room. Owners are
/// opaque.
class DeviceMemory {
 public:
    static constexpr std::uint64_t kPageBytes = 4096;
    static constexpr std::uint64_t kLeastGap = 16 * kPageBytes;
    static constexpr std::uint64_t kMostGap = 4096 * kPageBytes;
    /// Ranges that rest: each is looked at by every allocation.
    static constexpr std::size_t kMostResting = 512;
    /// gaps_around() tells of those between so many live ranges on each side, and of so much behind
    /// the last one.
    static constexpr int kMostNeighbours = 4;
    static constexpr std::uint64_t kMostReach = std::uint64_t{64} << 20;
    using Owner = const void*;

    /// `resting_bytes`: of freed ranges so much rests at most, and kMostResting of them.
    DeviceMemory(std::uint64_t start, std::uint64_t bytes, std::uint64_t resting_bytes = 0);

    /// Address of a new range, or nothing when no gap is large enough. `bytes` is not zero.
    /// `site`: the code that asks, for messages; nullptr: unknown.
    std::optional<std::uint64_t> allocate(std::uint64_t bytes, Owner owner,
                                          const void* site = nullptr);

    /// Frees the range that starts at `address`. Returns what is wrong, if anything; nothing is
    /// freed then.
    std::optional<std::string> release(std::uint64_t address, const void* site = nullptr);
    /// Whether the live range that starts at `address` may hold what former ones have left.
    bool is_used(std::uint64_t address) const;
    /// The bytes of the live range that starts at `address`; 0: there is none.
    std::uint64_t bytes_at(std::uint64_t address) const;

    /// Frees what an owner has left; returns how many ranges there were.
    std::size_t release_all(Owner owner);

    /// What is wrong with touching [address, address + bytes): outside every live range, freed, or
    /// past the end of one; with the nearest live range and how far away it is.
    std::optional<std::string> check(std::uint64_t address, std::uint64_t bytes) const;

    /// The pages that belong to nobody before and behind the live range that holds `address`, and
    /// around its neighbours.
    std::vector<GlobalRange> gaps_around(std::uint64_t address) const;

    /// The pages of the live range that starts at `address`, which there is.
    GlobalRange pages_at(std::uint64_t address) const;
    /// The pages of the range that `address` was in when it was freed; nothing when it was in none,
    /// or is somebody's again.
    std::optional<GlobalRange> freed_around(std::uint64_t address) const;

    std::uint64_t bytes() const { return end_ - start_; }
    std::uint64_t used_bytes() const;

 private:
    struct Range {
        std::uint64_t bytes = 0;  ///< as asked for
        Owner owner = nullptr;
        const void* allocated = nullptr;  ///< the code that has
        const void* freed = nullptr;
        bool is_used = false;  ///< may hold what former ranges have left
    };
    using Ranges = std::map<std::uint64_t, Range>;
    /// By bytes that were needed: where the first free place was, or a place before it.
    using Searches = std::map<std::uint64_t, std::uint64_t>;
    static constexpr std::size_t kMostSearches = 64;

    static std::uint64_t end_of(const Ranges::value_type& entry);
    /// A freed range rests from now on, where that is not too much; others do not any more.
    void rest(Ranges::value_type& freed);
    void wake_oldest();
    /// The first free place for so many pages' bytes, with gaps between ranges or without.
    std::optional<std::uint64_t> place_for(std::uint64_t needed, bool with_gaps);
    /// What was live, or has rested, may be handed out.
    void give_back(std::uint64_t address);
    /// Why there is no live range at `address`.
    std::string explain_missing(std::uint64_t address) const;
    /// The live range nearest to an address outside all of them, in words.
    std::string nearest(std::uint64_t address) const;

    std::uint64_t start_;
    std::uint64_t end_;
    std::uint64_t used_end_ = 0;  ///< behind all ranges that there have been
    Ranges live_;
    Ranges freed_;  ///< freed and not handed out again
    /// Bytes of live ranges and of those that rest, in whole pages.
    std::map<std::uint64_t, std::uint64_t> taken_;
    std::array<Searches, 2> searches_;  ///< without gaps, with them
    std::uint64_t most_resting_;
    std::uint64_t resting_bytes_ = 0;
    std::deque<std::uint64_t> resting_;  ///< of `freed_`, the oldest first
};

}  // namespace okksim::firmware::host
