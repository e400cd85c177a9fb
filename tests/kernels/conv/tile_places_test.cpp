// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/tile_places.h"

#include "tests/support/catch.h"

namespace okksim::kernels::conv {
namespace {

/// 4 lanes with 4 banks of 256 bytes; lines of 128 bytes.
isa::MachineShape machine() {
    isa::MachineShape shape;
    shape.lanes = 4;
    shape.local_bytes = 1024;
    shape.local_banks = 4;
    shape.vector_words = 32;
    return shape;
}

/// Two input tiles, one tile of sums and `weights` weight tiles of one line each.
Tiling tiling_with(int weights) {
    Tiling tiling;
    tiling.lanes = lanes_of(machine());
    tiling.input.packed_slots = 2;
    tiling.input.packed_bytes = 128;
    tiling.ring_bytes = tiling.plane_bytes = 128;
    tiling.weights.packed_slots = weights;
    tiling.weights.packed_bytes = 128;
    return tiling;
}

TilePlaces placed(const Tiling& tiling) {
    LocalRange range(tiling.lanes, 1024);
    return place_tiles(tiling, range);
}

SumRule fp32_rule() {
    Problem problem;
    problem.input.type = problem.weights.type = problem.output.type = tosa::DType::kFp32;
    return sum_rule(problem, Lanes{});
}

}  // namespace

TEST_CASE("weights lie as far from everything else as there is room") {
    const TilePlaces places = placed(tiling_with(2));
    CHECK(places.input == 0);
    CHECK(places.ring == 256);
    CHECK(places.weights == 1024 - 2 * 128);
}

TEST_CASE("weights share the banks that inputs and sums lie in") {
    const SumRule rule = fp32_rule();
    REQUIRE(sum_memory(rule).ring_planes > 0);
    // Inputs in bank 0, sums in bank 1, two weight tiles in bank 3.
    CHECK(shared_banks(tiling_with(2), rule, placed(tiling_with(2)), machine()) == 0);
    // Five from byte 384 on: the first shares bank 1 with the sums.
    const Tiling five = tiling_with(5);
    CHECK(shared_banks(five, rule, placed(five), machine()) == Approx(1.0 / 5));
    CHECK(shared_banks_at(384, five, rule, placed(five), machine()) == 1);
    CHECK(shared_banks_at(896, five, rule, placed(five), machine()) == 0);
    // A tile of two lines from 384 on: half of it.
    Tiling two = tiling_with(1);
    two.weights.packed_bytes = 256;
    CHECK(shared_banks_at(384, two, rule, placed(two), machine()) == Approx(1.0 / 2));
}

TEST_CASE("of sums that take turns in two banks half the weights see one") {
    // Two tiles of sums, one per bank; weights share the bank of the second one.
    Tiling tiling = tiling_with(1);
    tiling.ring_slots = 2;
    tiling.ring_bytes = 256;
    TilePlaces places = placed(tiling);
    CHECK(places.ring == 256);
    places.weights = 512;
    CHECK(shared_banks(tiling, fp32_rule(), places, machine()) == Approx(1.0 / 2));
}

}  // namespace okksim::kernels::conv
