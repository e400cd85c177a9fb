// SPDX-License-Identifier: Apache-2.0
#include "firmware/host/device_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "firmware/launch/call_stack.h"

namespace okksim::firmware::host {
namespace {

std::uint64_t page_up(std::uint64_t value) {
    return (value + DeviceMemory::kPageBytes - 1) / DeviceMemory::kPageBytes *
           DeviceMemory::kPageBytes;
}

/// Returns the size of the unallocated gap after a range of `bytes` bytes.
std::uint64_t gap_behind(std::uint64_t bytes) {
    return std::clamp(page_up(bytes), DeviceMemory::kLeastGap, DeviceMemory::kMostGap);
}

/// Returns the range that holds `address`, or end().
template <typename Ranges>
typename Ranges::const_iterator holder(const Ranges& ranges, std::uint64_t address) {
    auto after = ranges.upper_bound(address);
    if (after == ranges.begin()) return ranges.end();
    const auto candidate = std::prev(after);
    return address - candidate->first < candidate->second.bytes ? candidate : ranges.end();
}

}  // namespace

namespace {

/// Returns ", allocated in main at host.cpp:12"; empty for nullptr.
std::string place_text(const char* what, const void* site) {
    if (site == nullptr) return "";
    return fmt::format(", {} in {}", what, locate(site).front().text());
}

}  // namespace

DeviceMemory::DeviceMemory(std::uint64_t start, std::uint64_t bytes, std::uint64_t resting_bytes)
    : start_(page_up(start)), end_(std::max(start_, start + bytes)), most_resting_(resting_bytes) {}

std::uint64_t DeviceMemory::end_of(const Ranges::value_type& entry) {
    return entry.first + page_up(entry.second.bytes);
}

std::optional<std::uint64_t> DeviceMemory::allocate(std::uint64_t bytes, Owner owner,
                                                    const void* site) {
    const std::uint64_t needed = page_up(bytes);
    auto place = place_for(needed, true);
    if (!place) place = place_for(needed, false);
    while (!place && !resting_.empty()) {
        wake_oldest();
        place = place_for(needed, false);
    }
    if (!place) return std::nullopt;
    live_.emplace(*place, Range{bytes, owner, site, nullptr, *place < used_end_});
    taken_.emplace(*place, needed);
    used_end_ = std::max(used_end_, *place + needed);
    // The new range reuses these freed ranges. Freed ranges do not overlap.
    auto first = freed_.lower_bound(*place);
    if (first != freed_.begin() && end_of(*std::prev(first)) > *place) --first;
    freed_.erase(first, freed_.lower_bound(*place + needed));
    return place;
}

std::optional<std::uint64_t> DeviceMemory::place_for(std::uint64_t needed, bool with_gaps) {
    const auto room = [&](std::uint64_t bytes) {
        return bytes + (with_gaps ? gap_behind(bytes) : 0);
    };
    Searches& searches = searches_[with_gaps ? 1 : 0];
    // The search starts where an earlier search for this size, or a smaller one, succeeded.
    std::uint64_t searched = 0;
    for (auto search = searches.begin(); search != searches.upper_bound(needed); ++search) {
        searched = std::max(searched, search->second);
    }
    std::uint64_t place = start_;
    auto taken = taken_.lower_bound(searched);
    if (taken != taken_.begin()) {
        const auto& [address, bytes] = *std::prev(taken);
        place = address + room(bytes);
    }
    for (; taken != taken_.end(); ++taken) {
        const auto& [address, bytes] = *taken;
        if (address >= place && address - place >= room(needed)) break;
        place = address + room(bytes);
    }
    // The memory after the last range is free, so the end needs no gap.
    if (taken == taken_.end() && (place > end_ || end_ - place < needed)) return std::nullopt;
    if (searches.size() == kMostSearches) searches.clear();
    searches[needed] = place;
    return place;
}

void DeviceMemory::give_back(std::uint64_t address) {
    taken_.erase(address);
    for (Searches& searches : searches_) {
        for (auto& [needed, place] : searches) place = std::min(place, address);
    }
}

std::string DeviceMemory::nearest(std::uint64_t address) const {
    const auto after = live_.upper_bound(address);
    const auto size_of = [](const auto& entry) {
        return fmt::format("the allocation of {} bytes at 0x{:x}{}", entry.second.bytes,
                           entry.first, place_text("made", entry.second.allocated));
    };
    std::uint64_t to_end = UINT64_MAX;
    if (after != live_.begin()) {
        const auto before = std::prev(after);
        to_end = address - before->first - before->second.bytes;
    }
    if (after != live_.end() && after->first - address < to_end) {
        return fmt::format("; {} bytes before {}", after->first - address, size_of(*after));
    }
    if (to_end == UINT64_MAX) return "";
    return fmt::format("; {} bytes past the end of {}", to_end, size_of(*std::prev(after)));
}

std::string DeviceMemory::explain_missing(std::uint64_t address) const {
    const auto freed = holder(freed_, address);
    if (freed != freed_.end()) {
        return fmt::format("device memory at 0x{:x} has been freed: byte {} of {} at 0x{:x}{}{}",
                           address, address - freed->first, freed->second.bytes, freed->first,
                           place_text("allocated", freed->second.allocated),
                           place_text("freed", freed->second.freed));
    }
    return fmt::format("0x{:x} was never allocated on this device{}", address, nearest(address));
}

bool DeviceMemory::is_used(std::uint64_t address) const {
    const auto found = live_.find(address);
    return found != live_.end() && found->second.is_used;
}

std::uint64_t DeviceMemory::bytes_at(std::uint64_t address) const {
    const auto found = live_.find(address);
    return found == live_.end() ? 0 : found->second.bytes;
}

std::optional<std::string> DeviceMemory::release(std::uint64_t address, const void* site) {
    const auto found = live_.find(address);
    if (found == live_.end()) {
        if (const auto around = holder(live_, address); around != live_.end()) {
            return fmt::format(
                "0x{:x} is inside the allocation at 0x{:x} but is not its first byte", address,
                around->first);
        }
        return explain_missing(address);
    }
    found->second.freed = site;
    rest(*freed_.insert_or_assign(address, found->second).first);
    live_.erase(found);
    return std::nullopt;
}

void DeviceMemory::rest(Ranges::value_type& freed) {
    const std::uint64_t bytes = end_of(freed) - freed.first;
    if (bytes > most_resting_) return give_back(freed.first);
    resting_.push_back(freed.first);
    resting_bytes_ += bytes;
    while (resting_bytes_ > most_resting_ || resting_.size() > kMostResting) wake_oldest();
}

void DeviceMemory::wake_oldest() {
    const auto oldest = freed_.find(resting_.front());
    give_back(oldest->first);
    resting_bytes_ -= end_of(*oldest) - oldest->first;
    resting_.pop_front();
}

std::string DeviceMemory::live_text(Owner owner, std::size_t most) const {
    std::string listed;
    std::size_t count = 0;
    std::uint64_t bytes = 0;
    for (const auto& [address, range] : live_) {
        if (range.owner != owner) continue;
        bytes += range.bytes;
        if (++count > most) continue;
        listed += fmt::format("{}{} bytes at 0x{:x}{}", count == 1 ? "" : "; ", range.bytes,
                              address, place_text("allocated", range.allocated));
    }
    if (count == 0) return "";
    return fmt::format("{} allocation{} of {} bytes: {}{}", count, count == 1 ? "" : "s", bytes,
                       listed, count > most ? "; ..." : "");
}

std::size_t DeviceMemory::release_all(Owner owner) {
    std::vector<std::uint64_t> addresses;
    for (const auto& [address, range] : live_) {
        if (range.owner == owner) addresses.push_back(address);
    }
    for (const std::uint64_t address : addresses) release(address);
    return addresses.size();
}

std::optional<std::string> DeviceMemory::check(std::uint64_t address, std::uint64_t bytes) const {
    const auto found = holder(live_, address);
    if (found == live_.end()) return explain_missing(address);
    const std::uint64_t left = found->first + found->second.bytes - address;
    if (bytes <= left) return std::nullopt;
    return fmt::format("{} bytes at 0x{:x} pass the end of the allocation of {} bytes at 0x{:x}{}",
                       bytes, address, found->second.bytes, found->first,
                       place_text("made", found->second.allocated));
}

std::vector<GlobalRange> DeviceMemory::gaps_around(std::uint64_t address) const {
    const auto found = holder(live_, address);
    if (found == live_.end()) return {};
    std::vector<GlobalRange> gaps;
    const auto add = [&](std::uint64_t begin, std::uint64_t end) {
        if (begin < end) gaps.push_back({begin, end});
    };
    // A stray pointer may also reach memory past the neighbours of its allocation.
    auto at = found;
    for (int i = 0; i < kMostNeighbours; ++i) {
        const std::uint64_t begin = end_of(*at);
        const auto next = std::next(at);
        if (next == live_.end()) {
            add(begin, std::min(end_, begin + kMostReach));
            break;
        }
        add(begin, next->first);
        at = next;
    }
    at = found;
    for (int i = 0; i < kMostNeighbours; ++i) {
        // The memory before the first range is unallocated, too.
        if (at == live_.begin()) {
            add(at->first - std::min(at->first, kMostGap), at->first);
            break;
        }
        const auto before = std::prev(at);
        add(end_of(*before), at->first);
        at = before;
    }
    return gaps;
}

GlobalRange DeviceMemory::pages_at(std::uint64_t address) const {
    return {address, address + page_up(bytes_at(address))};
}

std::optional<GlobalRange> DeviceMemory::freed_around(std::uint64_t address) const {
    const auto found = holder(freed_, address);
    if (found == freed_.end()) return std::nullopt;
    return GlobalRange{found->first, end_of(*found)};
}

std::uint64_t DeviceMemory::used_bytes() const {
    std::uint64_t sum = 0;
    for (const auto& entry : live_) sum += page_up(entry.second.bytes);
    return sum;
}

}  // namespace okksim::firmware::host
