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

/// Every byte of a tensor, one at a time.
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
    // Three channels from lane 2 wrap to lane 0, in the next slot.
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

TEST_CASE("overlap/results that follow behind what is read are no results that are read") {
    // Rows of 16 words become rows of 8 with smaller strides: row 1 goes to words 8 to 15, which
    // were read with row 0. In the other direction, row 0 would overwrite the source of row 1.
    const isa::Dim4 rows{2, 1, 1, 8};
    const auto wide = view(0, 0, rows, {16, 16, 16, 1});
    const auto close = view(0, 0, rows, {8, 8, 8, 1});
    CHECK_FALSE(models::reads_own_results(close, wide, machine()));
    CHECK(models::reads_own_results(wide, view(0, 0, {3, 1, 1, 8}, {8, 8, 8, 1}), machine()));
    CHECK(models::reads_own_results(view(0, 0, {3, 1, 1, 8}, {16, 16, 16, 1}),
                                    view(0, 0, {3, 1, 1, 8}, {8, 8, 8, 1}), machine()));
    // One word up, every element is the previous result; one word down, none is.
    const isa::Dim4 row{1, 1, 1, 8};
    const isa::Dim4 stride{8, 8, 8, 1};
    CHECK(models::reads_own_results(view(0, 4, row, stride), view(0, 0, row, stride), machine()));
    CHECK_FALSE(
        models::reads_own_results(view(0, 0, row, stride), view(0, 4, row, stride), machine()));
    // The check is conservative for other shapes, other lanes and unaligned words.
    CHECK(models::reads_own_results(view(0, 0, row, stride), view(1, 0, row, stride), machine()));
    CHECK(models::reads_own_results(view(0, 0, row, stride), view(0, 2, row, stride), machine()));
    CHECK(models::reads_own_results(view(0, 0, row, stride), view(0, 0, {1, 1, 8, 1}, stride),
                                    machine()));
}

/// True if an element is written before it is read, element by element in ascending order.
bool walks_into_itself(const isa::TensorView& result, const isa::TensorView& source) {
    const std::int64_t lane = result.local_addr.value / kLocalBytes;
    std::set<std::pair<std::int64_t, std::int64_t>> written;
    const auto place = [&](const isa::TensorView& tensor, const isa::Dim4& at) {
        return std::pair((lane + at.c) % kLanes,
                         tensor.local_addr.value % kLocalBytes +
                             4 * (std::int64_t{at.n} * tensor.stride.n +
                                  (lane + at.c) / kLanes * tensor.stride.c +
                                  at.h * tensor.stride.h + at.w * tensor.stride.w));
    };
    const isa::Dim4& shape = result.shape;
    for (int n = 0; n < shape.n; ++n) {
        for (int c = 0; c < shape.c; ++c) {
            for (int h = 0; h < shape.h; ++h) {
                for (int w = 0; w < shape.w; ++w) {
                    if (written.count(place(source, {n, c, h, w})) != 0) return true;
                    written.insert(place(result, {n, c, h, w}));
                }
            }
        }
    }
    return false;
}

TEST_CASE("overlap/reads of own results agree with a walk over all elements") {
    std::mt19937 random(11);
    const auto number = [&](int low, int high) {
        return std::uniform_int_distribution<int>(low, high)(random);
    };
    int walks = 0;
    for (int i = 0; i < 2000; ++i) {
        // From lane 0 on, and in whole slots: a slot's first lane holds all that others hold.
        const isa::Dim4 shape{number(1, 3), number(1, 9), number(1, 3), number(1, 4)};
        const auto make = [&] {
            const isa::Dim4 stride{number(0, 20), number(1, 30), number(1, 12), number(1, 4)};
            return view(0, number(0, 30) * 4, shape, stride);
        };
        const isa::TensorView result = make();
        const isa::TensorView source = make();
        const bool walks_into = walks_into_itself(result, source);
        CHECK(models::reads_own_results(result, source, machine()) == walks_into);
        walks += walks_into ? 1 : 0;
    }
    CHECK(walks > 200);
    CHECK(walks < 1900);
}

/// Compares shares_own_memory() with a list of all elements.
void check_own_memory(const isa::TensorView& tensor, int& count) {
    const auto bytes = static_cast<std::int64_t>(bytes_of(tensor).size());
    const bool shares = bytes < 4 * tensor.shape.count();
    count += shares ? 1 : 0;
    if (models::shares_own_memory(tensor, machine()) == shares) return;
    const auto& [shape, stride] = std::pair(tensor.shape, tensor.stride);
    FAIL("lane " << tensor.local_addr.value / kLocalBytes << ", shape " << shape.n << ' ' << shape.c
                 << ' ' << shape.h << ' ' << shape.w << ", stride " << stride.n << ' ' << stride.c
                 << ' ' << stride.h << ' ' << stride.w);
}

TEST_CASE("overlap/elements of one tensor share memory exactly if two of them are equal") {
    int shared = 0;
    int all = 0;
    // All shapes up to 2x5x2x3, with all strides up to 4.
    for (int i = 0; i < 2 * 5 * 2 * 3; ++i) {
        const isa::Dim4 shape{i % 2 + 1, i / 2 % 5 + 1, i / 10 % 2 + 1, i / 20 + 1};
        for (int k = 0; k < 5 * 5 * 5 * 5; ++k) {
            const isa::Dim4 stride{k % 5, k / 5 % 5, k / 25 % 5, k / 125};
            check_own_memory(view(0, 0, shape, stride), shared);
            ++all;
        }
    }
    CHECK(shared > all / 10);
    CHECK(shared < all - all / 10);
    std::mt19937 random(17);
    const auto number = [&](int low, int high) {
        return std::uniform_int_distribution<int>(low, high)(random);
    };
    shared = 0;
    for (int i = 0; i < 4000; ++i) {
        const isa::Dim4 shape{number(1, 4), number(1, 13), number(1, 4), number(1, 5)};
        const isa::Dim4 stride{number(1, 70), number(1, 70), number(1, 40), number(1, 30)};
        check_own_memory(view(number(0, kLanes - 1), 0, shape, stride), shared);
    }
    CHECK(shared > 400);
    CHECK(shared < 3600);
}

TEST_CASE("overlap/system memory holds all channels side by side") {
    isa::TensorView tensor = view(0, 0, {2, 3, 4, 5}, {60, 20, 5, 1});
    tensor.local = false;
    CHECK_FALSE(models::shares_own_memory(tensor, machine()));
    tensor.stride = {40, 20, 5, 1};  // image 1 begins at channel 2 of image 0
    CHECK(models::shares_own_memory(tensor, machine()));
    tensor.stride = {1, 2, 6, 24};  // the reverse order: 2, 2 * 3 = 6, 6 * 4 = 24
    CHECK_FALSE(models::shares_own_memory(tensor, machine()));
    tensor.stride = {60, -20, 5, 1};  // descending channels
    CHECK_FALSE(models::shares_own_memory(tensor, machine()));
    tensor.stride = {60, 20, 5, 0};
    CHECK(models::shares_own_memory(tensor, machine()));
}

}  // namespace
