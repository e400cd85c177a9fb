// SPDX-License-Identifier: Apache-2.0
// Shared bytes of two tensors in local memory, on a machine with 4 lanes.
#include "models/memory/overlap.h"

#include <random>
#include <set>
#include <utility>

#include "isa/layout.h"
#include "tests/support/catch.h"
#include "tests/support/small_machine.h"

namespace {

using namespace okksim;

constexpr std::int32_t kLanes = 4;
constexpr std::int64_t kLocalBytes = 4096;

isa::MachineShape machine() { return tests::small_machine(kLanes, kLocalBytes); }

isa::TensorView view(std::int32_t lane, std::int64_t offset, const isa::Dim4& shape,
                     const isa::Dim4& stride) {
    isa::TensorView result;
    result.local_addr.value = static_cast<std::uint32_t>(lane * kLocalBytes + offset);
    result.shape = shape;
    result.stride = stride;
    return result;
}

/// Every byte of a tensor, one by one.
std::set<std::pair<std::int64_t, std::int64_t>> bytes_of(const isa::TensorView& tensor) {
    std::set<std::pair<std::int64_t, std::int64_t>> bytes;
    const std::int64_t lane = tensor.local_addr.value / kLocalBytes;
    const std::int64_t start = tensor.local_addr.value % kLocalBytes;
    for (int n = 0; n < tensor.shape.n; ++n) {
        for (int c = 0; c < tensor.shape.c; ++c) {
            for (int h = 0; h < tensor.shape.h; ++h) {
                for (int w = 0; w < tensor.shape.w; ++w) {
                    const std::int64_t element = n * tensor.stride.n +
                                                 (lane + c) / kLanes * tensor.stride.c +
                                                 h * tensor.stride.h + w * tensor.stride.w;
                    for (int b = 0; b < 4; ++b) {
                        bytes.emplace((lane + c) % kLanes, start + element * 4 + b);
                    }
                }
            }
        }
    }
    return bytes;
}

TEST_CASE("overlap/neighbours share nothing, one word more does") {
    // 8 words from byte 0 end at byte 32.
    const auto first = view(0, 0, {1, 4, 1, 8}, {8, 8, 8, 1});
    CHECK_FALSE(models::shared_place(first, view(0, 32, {1, 4, 1, 8}, {8, 8, 8, 1}), machine()));
    const auto place =
        models::shared_place(first, view(0, 28, {1, 4, 1, 8}, {8, 8, 8, 1}), machine());
    REQUIRE(place);
    CHECK(place->lane == 0);
    CHECK(place->offset == 28);
}

TEST_CASE("overlap/other lanes share nothing") {
    const auto low = view(0, 0, {1, 2, 1, 8}, {8, 8, 8, 1});
    CHECK_FALSE(models::shared_place(low, view(2, 0, {1, 2, 1, 8}, {8, 8, 8, 1}), machine()));
    // Three channels from lane 2 wrap to lane 0, one slot further.
    const auto wrapped = view(2, 0, {1, 3, 1, 8}, {16, 8, 8, 1});
    CHECK_FALSE(models::shared_place(low, wrapped, machine()));
    const auto second_slot = view(0, 32, {1, 1, 1, 1}, {1, 1, 1, 1});
    CHECK(models::shared_place(second_slot, wrapped, machine()));
}

TEST_CASE("overlap/interleaved columns share nothing") {
    const auto even = view(0, 0, {1, 1, 1, 8}, {16, 16, 16, 2});
    const auto odd = view(0, 4, {1, 1, 1, 8}, {16, 16, 16, 2});
    CHECK_FALSE(models::shared_place(even, odd, machine()));
    CHECK(models::shared_place(even, view(0, 4, {1, 1, 1, 2}, {2, 2, 2, 1}), machine()));
}

TEST_CASE("overlap/agrees with a list of all bytes") {
    std::mt19937 random(7);
    const auto number = [&](int low, int high) {
        return std::uniform_int_distribution<int>(low, high)(random);
    };
    int meetings = 0;
    for (int i = 0; i < 2000; ++i) {
        const auto make = [&] {
            const isa::Dim4 shape{number(1, 3), number(1, 9), number(1, 3), number(1, 4)};
            const isa::Dim4 stride{number(0, 20), number(1, 30), number(1, 12), number(1, 4)};
            return view(number(0, kLanes - 1), number(0, 60) * 4, shape, stride);
        };
        const isa::TensorView a = make();
        const isa::TensorView b = make();
        const auto bytes_a = bytes_of(a);
        const auto bytes_b = bytes_of(b);
        const bool meet = std::any_of(bytes_a.begin(), bytes_a.end(),
                                      [&](const auto& byte) { return bytes_b.count(byte) != 0; });
        const auto place = models::shared_place(a, b, machine());
        REQUIRE(place.has_value() == meet);
        if (!place) continue;
        ++meetings;
        CHECK(bytes_a.count({place->lane, place->offset}) == 1);
        CHECK(bytes_b.count({place->lane, place->offset}) == 1);
    }
    CHECK(meetings > 200);
    CHECK(meetings < 1900);
}

}  // namespace
