// SPDX-License-Identifier: Apache-2.0
// The reference alone against the golden vectors of every function that issues commands.
#include <algorithm>
#include <cstring>
#include <iostream>
#include <set>

#include "tests/reference/okk/arithmetic.h"
#include "tests/reference/okk/okk_reference.h"
#include "tests/support/catch.h"
#include "tests/support/golden_call_values.h"
#include "tests/support/golden_dir.h"

namespace okksim::tests::reference {

namespace {

constexpr std::uint64_t kWindowBytes = 4 << 20;

Image make_image(const isa::MachineShape& machine, std::uint8_t fill) {
    Image image(machine.lanes, machine.local_bytes, fill);
    for (const auto& [start, bytes] :
         {std::pair(machine.l2_start, machine.l2_bytes),
          std::pair(machine.dtcm_start, machine.dtcm_bytes),
          std::pair(machine.global_start, std::uint64_t{kWindowBytes})}) {
        image.system.push_back({start, std::vector<std::uint8_t>(bytes, fill)});
    }
    return image;
}

std::uint8_t* region_bytes(Image& image, const OkkRegion& region, std::int32_t lane) {
    switch (region.space) {
        case OkkSpace::kLocal:
            // Guard bytes before a tensor may start before the lane.
            return image.local.data() + (region.first_lane + lane) * image.lane_bytes +
                   region.address;
        case OkkSpace::kL2: return image.system[0].bytes.data() + region.address;
        case OkkSpace::kDtcm: return image.system[1].bytes.data() + region.address;
        case OkkSpace::kGlobal: return image.system[2].bytes.data() + region.address;
    }
    return nullptr;
}

template <typename Visitor>
void for_each_run(Image& image, const OkkRegion& region, Visitor&& visit) {
    for (std::int32_t lane = 0; lane < region.lanes; ++lane) {
        visit(region_bytes(image, region, lane), static_cast<std::size_t>(lane * region.bytes));
    }
}

/// Bytes that differ in words that are not both NaN, outside the mask.
std::size_t wrong_bytes(const std::uint8_t* actual, const std::uint8_t* expected,
                        const std::byte* mask, std::int64_t count) {
    std::size_t wrong = 0;
    for (std::int64_t i = 0; i < count; ++i) {
        if (actual[i] == expected[i] || (mask != nullptr && mask[i] != std::byte{0})) continue;
        const std::int64_t word = i / 4 * 4;
        Word a = 0;
        Word b = 0;
        if (word + 4 <= count) {
            std::memcpy(&a, actual + word, sizeof a);
            std::memcpy(&b, expected + word, sizeof b);
        }
        if (!is_nan(a) || !is_nan(b)) ++wrong;
    }
    return wrong;
}

/// Number of wrong bytes after running one case.
std::size_t run_case(const OkkFunction& function, const OkkCase& golden, bool quirks) {
    const isa::MachineShape machine = okk_machine_shape();
    Image image = make_image(machine, std::to_integer<std::uint8_t>(function.fill));
    for (const OkkRegion& region : golden.before) {
        for_each_run(image, region, [&](std::uint8_t* at, std::size_t offset) {
            std::memcpy(at, function.blob.data() + region.offset + offset,
                        static_cast<std::size_t>(region.bytes));
        });
    }
    Image before = image;
    execute(image, function.name, okk_call_values(function, golden.arguments(), machine),
            {.sdk_quirks = quirks});
    std::size_t wrong = 0;
    for (const OkkRegion& region : golden.after) {
        const std::byte* expected = function.blob.data() + region.offset;
        const std::byte* mask =
            region.mask_offset ? function.blob.data() + *region.mask_offset : nullptr;
        if (region.has_role("dst")) {
            for_each_run(image, region, [&](const std::uint8_t* at, std::size_t offset) {
                wrong += wrong_bytes(at, reinterpret_cast<const std::uint8_t*>(expected) + offset,
                                     mask == nullptr ? nullptr : mask + offset, region.bytes);
            });
        }
        // Bytes outside the regions must be unchanged: restore the regions' old bytes and compare
        // everything.
        const Image& old = before;
        for_each_run(image, region, [&](std::uint8_t* at, std::size_t) {
            std::memcpy(at,
                        region_bytes(const_cast<Image&>(old), region, 0) +
                            (at - region_bytes(image, region, 0)),
                        static_cast<std::size_t>(region.bytes));
        });
    }
    if (image.local != before.local) ++wrong;
    for (std::size_t i = 0; i < image.system.size(); ++i) {
        if (image.system[i].bytes != before.system[i].bytes) ++wrong;
    }
    return wrong;
}

bool enforced(const OkkCase& golden, bool quirks) {
    return std::all_of(golden.tags.begin(), golden.tags.end(), [&](const std::string& tag) {
        if (quirks) return tag == "doc_conflict";
        return tag == "derived";
    });
}

}  // namespace

TEST_CASE("the reference knows every function that issues commands") {
    // 119 documented functions less 9 common, 2 utility and 5 stride functions.
    CHECK(function_names().size() == 103);
}

TEST_CASE("the reference passes the golden vectors", "[golden]") {
    const auto dir = needed_golden_dir();
    if (!dir) return;
    std::size_t passed = 0;
    std::size_t skipped = 0;
    for (const std::string& name : function_names()) {
        const OkkFunction function = load_okk_function(*dir / "okk", name);
        for (const OkkCase& golden : function.cases) {
            const bool conflict = golden.has_tag("doc_conflict");
            if (!enforced(golden, conflict)) {
                ++skipped;
                continue;
            }
            INFO(golden.id << ": " << golden.description);
            CHECK(run_case(function, golden, conflict) == 0);
            ++passed;
        }
    }
    std::cout << passed << " golden cases run, " << skipped << " skipped\n";
    CHECK(passed > 0);
}

}  // namespace okksim::tests::reference
