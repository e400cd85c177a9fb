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

/// Hands out ranges of device memory: first fit, aligned to pages. While there is room, an
/// unallocated gap separates two ranges, so that an overrun of one does not reach the other. The
/// gap has the size of the lower range, within limits. A freed range may rest before it is handed
/// out again. It rests until newer resting ranges exceed the limit or no other room is left. Owners
/// are opaque.
class DeviceMemory {
 public:
    static constexpr std::uint64_t kPageBytes = 4096;
    static constexpr std::uint64_t kLeastGap = 16 * kPageBytes;
    static constexpr std::uint64_t kMostGap = 4096 * kPageBytes;
    /// The number of ranges that rest. Every allocation searches them.
    static constexpr std::size_t kMostResting = 512;
    /// gaps_around() returns the gaps between up to kMostNeighbours live ranges on each side, and
    /// kMostReach bytes past the last one.
    static constexpr int kMostNeighbours = 4;
    static constexpr std::uint64_t kMostReach = std::uint64_t{64} << 20;
    using Owner = const void*;

    /// At most `resting_bytes` bytes and kMostResting freed ranges rest.
    DeviceMemory(std::uint64_t start, std::uint64_t bytes, std::uint64_t resting_bytes = 0);

    /// Returns the address of a new range, or nothing if no gap is large enough. `bytes` is not
    /// zero. `site` is the code that asks, for messages; nullptr if it is unknown.
    std::optional<std::uint64_t> allocate(std::uint64_t bytes, Owner owner,
                                          const void* site = nullptr);

    /// Frees the range that starts at `address`. Returns the problem, if any; then nothing is
    /// freed.
    std::optional<std::string> release(std::uint64_t address, const void* site = nullptr);
    /// Returns whether the live range that starts at `address` may hold data of former ranges.
    bool is_used(std::uint64_t address) const;
    /// Returns the bytes of the live range that starts at `address`; 0 if there is none.
    std::uint64_t bytes_at(std::uint64_t address) const;

    /// Describes the live ranges of an owner, at most `most` of them one by one. Empty without any.
    /// Example: "2 allocations of 128 bytes: 64 bytes at 0x105000000, allocated in main at
    /// host.cpp:12; ...".
    std::string live_text(Owner owner, std::size_t most) const;
    /// Frees all ranges of an owner and returns their number.
    std::size_t release_all(Owner owner);

    /// Returns the problem of an access to [address, address + bytes): outside of every live range,
    /// freed, or past the end of one. The text names the nearest live range and its distance.
    std::optional<std::string> check(std::uint64_t address, std::uint64_t bytes) const;

    /// Returns the unallocated pages around the live range that holds `address`, and around its
    /// neighbours.
    std::vector<GlobalRange> gaps_around(std::uint64_t address) const;

    /// Returns the pages of the live range that starts at `address`, which must exist.
    GlobalRange pages_at(std::uint64_t address) const;
    /// Returns the pages of the range that held `address` when it was freed. Returns nothing if
    /// there was none or if the memory is allocated again.
    std::optional<GlobalRange> freed_around(std::uint64_t address) const;

    std::uint64_t bytes() const { return end_ - start_; }
    std::uint64_t used_bytes() const;

 private:
    struct Range {
        std::uint64_t bytes = 0;  ///< as requested
        Owner owner = nullptr;
        const void* allocated = nullptr;  ///< code that has allocated it
        const void* freed = nullptr;
        bool is_used = false;  ///< may hold data of former ranges
    };
    using Ranges = std::map<std::uint64_t, Range>;
    /// The address of the first free range found, or an address before it, by the number of bytes
    /// needed.
    using Searches = std::map<std::uint64_t, std::uint64_t>;
    static constexpr std::size_t kMostSearches = 64;

    static std::uint64_t end_of(const Ranges::value_type& entry);
    /// Lets a freed range rest, and ends the rest of older ones if the limit is exceeded.
    void rest(Ranges::value_type& freed);
    void wake_oldest();
    /// Returns the first free address for `needed` bytes of whole pages, with gaps between ranges
    /// or without.
    std::optional<std::uint64_t> place_for(std::uint64_t needed, bool with_gaps);
    /// Makes a range available again that was live or has rested.
    void give_back(std::uint64_t address);
    /// Returns the reason why no live range starts at `address`.
    std::string explain_missing(std::uint64_t address) const;
    /// Describes the live range nearest to an address that is outside of all of them.
    std::string nearest(std::uint64_t address) const;

    std::uint64_t start_;
    std::uint64_t end_;
    std::uint64_t used_end_ = 0;  ///< past the end of all ranges so far
    Ranges live_;
    Ranges freed_;  ///< freed and not handed out again
    /// Bytes of live ranges and of those that rest, in whole pages.
    std::map<std::uint64_t, std::uint64_t> taken_;
    std::array<Searches, 2> searches_;  ///< without gaps, and with gaps
    std::uint64_t most_resting_;
    std::uint64_t resting_bytes_ = 0;
    std::deque<std::uint64_t> resting_;  ///< of `freed_`, the oldest first
};

}  // namespace okksim::firmware::host
