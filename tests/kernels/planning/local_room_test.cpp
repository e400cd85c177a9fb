// SPDX-License-Identifier: Apache-2.0
#include "kernels/planning/local_room.h"

#include <utility>
#include <vector>

#include "tests/support/catch.h"
#include "tests/support/random_source.h"

using okksim::kernels::LocalRoom;
using okksim::tests::RandomSource;

TEST_CASE("blocks that do not live at the same time share bytes") {
    LocalRoom room(128, 1024, 128);
    CHECK(room.place(300, 0, 2) == 128);
    // 300 bytes end at 428; the next line begins at 512.
    CHECK(room.place(100, 2, 3) == 512);
    CHECK(room.place(300, 3, 5) == 128);
    // Blocks below 512 live in section 2 or 3, so only bytes from 640 on are free in both.
    CHECK(room.place(384, 2, 3) == 640);
    // 1024 - 128 = 896 bytes in all.
    CHECK(!room.place(897, 2000, 2000).has_value());
    CHECK(room.place(896, 2000, 2000) == 128);
}

TEST_CASE("what should lie apart takes the highest place outside what it avoids") {
    LocalRoom room(128, 1024, 128);
    room.take(640, 128, 1, 2);
    const auto find = [&](int section, std::vector<okksim::kernels::Addresses> avoided,
                          std::int64_t bytes) {
        LocalRoom::Taken taken = room.taken(section, section);
        taken.avoid(std::move(avoided));
        return taken.find_last(bytes, section);
    };
    CHECK(find(0, {}, 200) == 768);  // 1024 - 200 = 824: the line begins at 768
    CHECK(find(1, {}, 300) == 256);  // 640 - 300 = 340
    CHECK(find(0, {{512, 1024}}, 200) == 256);
    CHECK(find(1, {{768, 1024}}, 200) == 384);
    CHECK(!find(1, {{256, 1024}}, 200).has_value());
    CHECK(find(1, {{256, 1024}}, 128) == 128);
    // Below both avoided ranges, and below the used range between them.
    CHECK(find(1, {{384, 512}, {896, 1024}}, 200) == 128);
}

TEST_CASE("no two blocks ever share bytes and sections") {
    struct Block {
        std::int64_t begin, end;
        int first, last;
    };
    RandomSource random(3);
    for (int round = 0; round < 50; ++round) {
        LocalRoom room(0, 64 * 1024, 128);
        std::vector<Block> blocks;
        for (int i = 0; i < 100; ++i) {
            const std::int64_t bytes = random.between(1, 9000);
            const auto first = static_cast<int>(random.between(0, 60));
            const auto last = static_cast<int>(random.between(first, first + 9));
            const auto address = room.place(bytes, first, last);
            if (!address) continue;
            REQUIRE(*address % 128 == 0);
            REQUIRE(*address + bytes <= 64 * 1024);
            for (const Block& other : blocks) {
                const bool together = first <= other.last && other.first <= last;
                const bool apart = *address + bytes <= other.begin || other.end <= *address;
                REQUIRE((!together || apart));
            }
            blocks.push_back({*address, *address + bytes, first, last});
        }
        CHECK(blocks.size() > 30);
    }
}
