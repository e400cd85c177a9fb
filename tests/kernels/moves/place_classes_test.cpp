// SPDX-License-Identifier: Apache-2.0
// Counts of loop start addresses by alignment, checked by hand and by visiting every point.
#include "kernels/moves/place_classes.h"

#include <map>
#include <numeric>

#include "tests/support/catch.h"
#include "tests/support/random_source.h"

namespace okksim::kernels {
namespace {

using Classes = std::vector<PlaceClass>;

TEST_CASE("rows of 6 words begin at four kinds of place within 64 bytes") {
    // Rows begin every 24 bytes: 0 24 48 8 32 56 16 40, then again. Each class is the greatest
    // common divisor with 64: 64 for 0, 32 for 32, 16 for 48 and 16, 8 for the four others.
    // Elements are words: 8 bytes are element 2, 16 are 4, 32 are 8.
    const std::vector<std::int64_t> extents{16};
    const std::vector<std::int64_t> strides{6};
    CHECK(place_classes(1 << 20, 4, 64, extents, strides) ==
          Classes{{2, 8}, {4, 4}, {8, 2}, {0, 2}});
    // Nine rows start at the first address once more.
    const std::vector<std::int64_t> nine{9};
    CHECK(place_classes(1 << 20, 4, 64, nine, strides) == Classes{{2, 4}, {4, 2}, {8, 1}, {0, 2}});
}

TEST_CASE("loops that keep the place are one class, and so is everything where 1 byte aligns") {
    const std::vector<std::int64_t> extents{7, 3};
    const std::vector<std::int64_t> lines{16, 160};  // words: 64 and 640 bytes
    CHECK(place_classes(4, 4, 64, extents, lines) == Classes{{0, 21}});
    const std::vector<std::int64_t> odd{3, -5};
    CHECK(place_classes(4, 4, 1, extents, odd) == Classes{{0, 21}});
}

/// Counts points by the common divisor of their address and the alignment, one point at a time.
std::map<std::uint64_t, std::int64_t> visited(std::int64_t address, int bytes,
                                              std::int64_t alignment,
                                              const std::vector<std::int64_t>& extents,
                                              const std::vector<std::int64_t>& strides) {
    std::map<std::uint64_t, std::int64_t> points;
    std::vector<std::int64_t> index(extents.size(), 0);
    for (;;) {
        std::int64_t at = address;
        for (std::size_t i = 0; i < index.size(); ++i) at += index[i] * strides[i] * bytes;
        ++points[static_cast<std::uint64_t>(std::gcd(at, alignment))];
        std::size_t i = 0;
        while (i < index.size() && ++index[i] == extents[i]) index[i++] = 0;
        if (i == index.size()) return points;
    }
}

TEST_CASE("classes of random loops count what visiting every point counts") {
    tests::RandomSource random(11);
    for (int i = 0; i < 500; ++i) {
        const auto bytes = static_cast<int>(random.pick({1, 2, 4}));
        const std::int64_t alignment = random.pick({1, 2, 16, 48, 64, 100, 512});
        const std::int64_t address = (1 << 20) + random.between(0, 600) * bytes;
        std::vector<std::int64_t> extents;
        std::vector<std::int64_t> strides;
        for (std::int64_t n = random.between(0, 3); n > 0; --n) {
            extents.push_back(random.between(1, 40));
            strides.push_back(random.between(-300, 300));
        }
        std::map<std::uint64_t, std::int64_t> counted;
        for (const PlaceClass& each :
             place_classes(static_cast<std::uint64_t>(address), bytes,
                           static_cast<std::uint64_t>(alignment), extents, strides)) {
            counted[static_cast<std::uint64_t>(
                std::gcd(address + each.element * bytes, alignment))] += each.points;
        }
        CHECK(counted == visited(address, bytes, alignment, extents, strides));
    }
}

}  // namespace
}  // namespace okksim::kernels
