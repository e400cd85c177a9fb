// SPDX-License-Identifier: Apache-2.0
#include "firmware/host/device_memory.h"

#include <algorithm>
#include <ctime>
#include <iterator>
#include <map>
#include <random>
#include <vector>

#include "tests/support/catch.h"

namespace okksim::tests {

using firmware::host::DeviceMemory;

namespace {
constexpr std::uint64_t kStart = 0x100000000;
constexpr std::uint64_t kPage = DeviceMemory::kPageBytes;
const int owners[2] = {};
}  // namespace

TEST_CASE("allocations are page aligned, first fit, and reuse freed gaps") {
    DeviceMemory memory(kStart, 4 * kPage);
    const auto a = memory.allocate(1, owners);
    const auto b = memory.allocate(kPage + 1, owners);
    const auto c = memory.allocate(kPage, owners);
    CHECK(a == kStart);
    CHECK(b == kStart + kPage);
    CHECK(c == kStart + 3 * kPage);
    CHECK(memory.used_bytes() == 4 * kPage);
    CHECK_FALSE(memory.allocate(1, owners));
    CHECK_FALSE(memory.release(*b));
    CHECK_FALSE(memory.allocate(2 * kPage + 1, owners));
    CHECK(memory.allocate(2 * kPage, owners) == b);
}

TEST_CASE("ranges are the first that fit, whatever was handed out and freed before") {
    // Memory for 96 pages and gaps of 16 pages: allocations have gaps until memory becomes scarce.
    constexpr std::uint64_t kPages = 96;
    constexpr std::uint64_t kGapPages = DeviceMemory::kLeastGap / kPage;
    DeviceMemory memory(kStart, kPages * kPage);
    std::map<std::uint64_t, std::uint64_t> live;  // first page, pages
    // The reference tries each page in turn.
    const auto first_fit = [&](std::uint64_t pages, std::uint64_t gap) {
        for (std::uint64_t at = 0; at + pages <= kPages; ++at) {
            if (std::ranges::all_of(live, [&](const auto& range) {
                    return at + pages + gap <= range.first ||
                           range.first + range.second + gap <= at;
                })) {
                return at;
            }
        }
        return kPages;
    };
    std::mt19937 random(1);
    for (int i = 0; i < 20000; ++i) {
        if (random() % 2 == 0 && !live.empty()) {
            const auto range = std::next(live.begin(), random() % live.size());
            CHECK_FALSE(memory.release(kStart + range->first * kPage));
            live.erase(range);
            continue;
        }
        const std::uint64_t pages = 1 + random() % kGapPages;
        std::uint64_t expected = first_fit(pages, kGapPages);
        if (expected == kPages) expected = first_fit(pages, 0);
        const auto place = memory.allocate(pages * kPage, owners);
        REQUIRE(place.has_value() == (expected < kPages));
        if (!place) continue;
        REQUIRE(*place == kStart + expected * kPage);
        live.emplace(expected, pages);
    }
}

TEST_CASE("a hundred thousand ranges are handed out without looking at all of them each time") {
    // A linear search over all ranges would take 10^10 steps, or 30 s.
    constexpr int kRanges = 100000;
    constexpr double kMostSeconds = 5;
    DeviceMemory memory(kStart, std::uint64_t{kRanges} * 32 * kPage);
    std::vector<std::uint64_t> ranges;
    const std::clock_t begin = std::clock();
    for (int round = 0; round < 2; ++round) {
        ranges.clear();
        for (int i = 0; i < kRanges; ++i) ranges.push_back(*memory.allocate(kPage, owners));
        for (const std::uint64_t range : ranges) memory.release(range);
    }
    CHECK(double(std::clock() - begin) / CLOCKS_PER_SEC < kMostSeconds);
}

TEST_CASE("freed ranges rest, the newest ones and as many as may") {
    constexpr std::uint64_t kLeast = DeviceMemory::kLeastGap;
    constexpr std::uint64_t kRange = kPage + kLeast;  // of a page, with its gap
    DeviceMemory memory(kStart, 64 * kRange, 2 * kPage);
    std::vector<std::uint64_t> ranges;
    for (int i = 0; i < 4; ++i) ranges.push_back(*memory.allocate(kPage, owners));
    CHECK(ranges[3] == kStart + 3 * kRange);
    // The quarantine holds up to two ranges; the third freed range pushes the first one out.
    CHECK_FALSE(memory.release(ranges[0]));
    CHECK(memory.allocate(kPage, owners) == kStart + 4 * kRange);
    CHECK_FALSE(memory.release(ranges[1]));
    CHECK(memory.allocate(kPage, owners) == kStart + 5 * kRange);
    CHECK(memory.check(ranges[0], 4)->find("has been freed") != std::string::npos);
    CHECK_FALSE(memory.release(ranges[2]));
    CHECK(memory.allocate(kPage, owners) == ranges[0]);
    CHECK(memory.check(ranges[1], 4)->find("has been freed") != std::string::npos);
    CHECK(memory.release(ranges[1])->find("has been freed") != std::string::npos);
    // A range above the quarantine's size is reusable at once; ranges in quarantine stay there.
    const auto large = memory.allocate(3 * kPage, owners);
    CHECK_FALSE(memory.release(*large));
    CHECK(memory.allocate(3 * kPage, owners) == large);
    CHECK(memory.check(ranges[2], 4)->find("has been freed") != std::string::npos);
}

TEST_CASE("so many freed ranges rest, however small they are") {
    constexpr std::uint64_t kRange = kPage + DeviceMemory::kLeastGap;
    constexpr auto kMost = static_cast<std::uint64_t>(DeviceMemory::kMostResting);
    DeviceMemory memory(kStart, 2 * kMost * kRange, kMost * kRange);
    for (std::uint64_t i = 0; i <= kMost; ++i) {
        const auto range = memory.allocate(1, owners);
        CHECK(range == kStart + i * kRange);
        CHECK_FALSE(memory.release(*range));
    }
    // One range more than the limit pushes the first one out of the quarantine.
    CHECK(memory.allocate(1, owners) == kStart);
}

TEST_CASE("freed ranges rest while there is other room") {
    DeviceMemory memory(kStart, 3 * kPage, 3 * kPage);
    const auto a = memory.allocate(kPage, owners);
    const auto b = memory.allocate(kPage, owners);
    CHECK_FALSE(memory.release(*a));
    CHECK_FALSE(memory.release(*b));
    CHECK(memory.allocate(kPage, owners) == kStart + 2 * kPage);
    CHECK(memory.allocate(kPage, owners) == a);  // the one that has rested longer
    CHECK(memory.allocate(kPage, owners) == b);
    CHECK_FALSE(memory.allocate(kPage, owners));
}

TEST_CASE("nobody's bytes lie between allocations while there is room for them") {
    constexpr std::uint64_t kLeast = DeviceMemory::kLeastGap;
    DeviceMemory memory(kStart, 2 * kLeast + 4 * kPage);
    const auto a = memory.allocate(kPage, owners);
    const auto b = memory.allocate(kPage, owners);
    CHECK(a == kStart);
    CHECK(b == kStart + kPage + kLeast);
    CHECK(memory.check(*a + kPage, 4)->find("0 bytes past the end of the allocation") !=
          std::string::npos);
    CHECK(memory.check(*a + kPage - 4, 8)->find("pass the end") != std::string::npos);
    CHECK(memory.check(*b - 4, 4)->find("4 bytes before the allocation") != std::string::npos);
    // One gap and two pages remain after b; afterwards only the gap between a and b is left.
    CHECK(memory.allocate(kPage, owners) == *b + kPage + kLeast);
    CHECK(memory.allocate(2 * kPage, owners) == kStart + kPage);
    CHECK(memory.used_bytes() == 5 * kPage);
}

TEST_CASE("the bytes between allocations are as many as the lower one has, within limits") {
    constexpr std::uint64_t kMost = DeviceMemory::kMostGap;
    DeviceMemory memory(kStart, 16 * kMost);
    const auto a = memory.allocate(kMost / 2, owners);
    const auto b = memory.allocate(2 * kMost, owners);
    const auto c = memory.allocate(1, owners);
    CHECK(*b - *a == kMost / 2 + kMost / 2);
    CHECK(*c - *b == 2 * kMost + kMost);
    // A freed range is reused with its gaps.
    CHECK_FALSE(memory.release(*b));
    CHECK(memory.allocate(2 * kMost, owners) == b);
}

TEST_CASE("what belongs to nobody around an allocation is told of, and around its neighbours") {
    constexpr std::uint64_t kLeast = DeviceMemory::kLeastGap;
    DeviceMemory memory(kStart, 64 * kLeast);
    std::vector<std::uint64_t> begins;
    for (int i = 0; i < 12; ++i) begins.push_back(*memory.allocate(1, owners));
    // The middle one of 12 allocations has four neighbours on each side.
    const auto gaps = memory.gaps_around(begins[5]);
    REQUIRE(gaps.size() == 2 * DeviceMemory::kMostNeighbours);
    for (int i = 0; i < 4; ++i) {
        CHECK(gaps[i].begin == begins[5 + i] + kPage);
        CHECK(gaps[i].end == begins[6 + i]);
        CHECK(gaps[4 + i].begin == begins[4 - i] + kPage);
        CHECK(gaps[4 + i].end == begins[5 - i]);
    }
    // After the last allocation and before the first one, everything is unallocated.
    CHECK(memory.gaps_around(begins[11])[0].end == kStart + 64 * kLeast);
    CHECK(memory.gaps_around(begins[0]).back().end == begins[0]);
    CHECK(memory.gaps_around(kStart + 63 * kLeast).empty());
}

TEST_CASE("a start that is no page boundary is rounded up") {
    DeviceMemory memory(kStart + 1, 2 * kPage);
    CHECK(memory.allocate(kPage, owners) == kStart + kPage);
    CHECK_FALSE(memory.allocate(kPage, owners));  // only kPage + 1 bytes had been left
}

TEST_CASE("wrong frees and accesses are told apart") {
    DeviceMemory memory(kStart, 16 * kPage);
    const auto a = memory.allocate(100, owners);
    CHECK_FALSE(memory.check(*a, 100));
    CHECK_FALSE(memory.check(*a + 50, 50));
    CHECK(memory.check(*a + 50, 51)->find("pass the end") != std::string::npos);
    CHECK(memory.check(*a + 100, 1)->find("never allocated") != std::string::npos);
    CHECK(memory.check(kStart - 1, 1)->find("never allocated") != std::string::npos);
    CHECK(memory.release(*a + 4)->find("is not its first byte") != std::string::npos);
    CHECK_FALSE(memory.release(*a));
    CHECK(memory.release(*a)->find("has been freed") != std::string::npos);
    CHECK(memory.check(*a, 1)->find("has been freed") != std::string::npos);
    CHECK(memory.release(kStart + 8 * kPage)->find("never allocated") != std::string::npos);
}

TEST_CASE("ranges know whether somebody has had their pages") {
    DeviceMemory memory(kStart, 16 * kPage);
    const auto a = memory.allocate(3 * kPage, owners);
    CHECK_FALSE(memory.is_used(*a));
    CHECK(memory.pages_at(*a).end == *a + 3 * kPage);
    CHECK_FALSE(memory.release(*a));
    // A page and a byte take two of the three freed pages; then the third page and a fresh one
    // follow.
    const auto b = memory.allocate(kPage + 1, owners);
    CHECK(b == a);
    CHECK(memory.is_used(*b));
    CHECK(memory.pages_at(*b).begin == *b);
    CHECK(memory.pages_at(*b).end == *b + 2 * kPage);
    const auto c = memory.allocate(kPage, owners);
    CHECK(c == kStart + 2 * kPage);
    CHECK(memory.is_used(*c));
    const auto d = memory.allocate(kPage, owners);
    CHECK(d == kStart + 3 * kPage);
    CHECK_FALSE(memory.is_used(*d));
    CHECK_FALSE(memory.is_used(kStart + 8 * kPage));  // unallocated
}

TEST_CASE("closing a handle frees what it left") {
    DeviceMemory memory(kStart, 16 * kPage);
    memory.allocate(1, &owners[0]);
    const auto other = memory.allocate(1, &owners[1]);
    memory.allocate(1, &owners[0]);
    CHECK(memory.release_all(&owners[0]) == 2);
    CHECK(memory.used_bytes() == kPage);
    CHECK_FALSE(memory.check(*other, 1));
}

TEST_CASE("random allocations never overlap and always fit when there is room") {
    std::mt19937 random(7);
    DeviceMemory memory(kStart, 64 * kPage);
    std::map<std::uint64_t, std::uint64_t> live;
    for (int step = 0; step < 20000; ++step) {
        if (live.empty() || random() % 2 == 0) {
            const std::uint64_t bytes = 1 + random() % (6 * kPage);
            const std::uint64_t pages = (bytes + kPage - 1) / kPage;
            // Plain search for a run of free pages.
            std::uint64_t run = 0;
            std::uint64_t longest = 0;
            for (std::uint64_t page = 0; page < 64; ++page) {
                const std::uint64_t at = kStart + page * kPage;
                const auto after = live.upper_bound(at);
                const bool used = after != live.begin() &&
                                  at < std::prev(after)->first + std::prev(after)->second;
                run = used ? 0 : run + 1;
                longest = std::max(longest, run);
            }
            const auto address = memory.allocate(bytes, owners);
            REQUIRE(address.has_value() == (longest >= pages));
            if (!address) continue;
            const auto after = live.lower_bound(*address);
            if (after != live.end()) REQUIRE(*address + pages * kPage <= after->first);
            if (after != live.begin()) {
                REQUIRE(std::prev(after)->first + std::prev(after)->second <= *address);
            }
            live[*address] = pages * kPage;
        } else {
            auto victim = live.begin();
            std::advance(victim, random() % live.size());
            REQUIRE_FALSE(memory.release(victim->first));
            live.erase(victim);
        }
    }
}

}  // namespace okksim::tests
